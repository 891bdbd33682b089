// A native host that does what it is told, mostly what no host should do. Told by the first frame: `{do, ...}`.
//
// Run as a program of its own by a browser; what must be known after its death stands in the file that `OUTRIGGER_BEHAVIOUR_LOG` names.
import { spawn } from "node:child_process";
import { appendFileSync, closeSync, readdirSync, readFileSync, writeSync } from "node:fs";

const note = (words) => appendFileSync(process.env.OUTRIGGER_BEHAVIOUR_LOG, `${Date.now()} ${process.pid} ${words}\n`);

function write(bytes) {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}
function frame(body) {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const head = Buffer.alloc(4);
  head.writeUInt32LE(bytes.length);
  write(Buffer.concat([head, bytes]));
}
/** The group of a process: the third word behind its name, which may have spaces. */
const groupOf = (pid) => Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ")[2]);
/** A JSON text of exactly so many bytes. */
const textOf = (size, letter) => Buffer.from(`"${letter.repeat(Math.floor((size - 2) / Buffer.byteLength(letter)))}${"x".repeat((size - 2) % Buffer.byteLength(letter))}"`);
const after = () => frame({ after: true });

const ACTS = {
  facts: () => frame({ argv: process.argv.slice(1), cwd: process.cwd(), pid: process.pid, names: Object.keys(process.env), open: readdirSync("/proc/self/fd").length, given: process.env.OUTRIGGER_GIVEN ?? null, group: groupOf("self") }),
  echo: ({ value }) => frame({ value: value === undefined ? null : value }),
  size: ({ size, letter = "x" }) => frame(textOf(size, letter)),
  raw: ({ hex }) => (frame(Buffer.from(hex, "hex")), after()),
  noise: () => (write(Buffer.from("Listening on stdin ...\n")), after()),
  half: () => (write(Buffer.from([100, 0, 0, 0, 0x22])), process.exit(0)),
  exit: ({ code }) => process.exit(code),
  replyExit: () => (frame({ bye: true }), process.exit(3)),
  stderr: () => {
    for (let count = 0; count < 64; count += 1) process.stderr.write(`${"a line of a flood ".repeat(3_600)}\n`);
    after();
  },
  closed: () => closeSync(1),
  /** Neither the end of its input nor a polite signal ends it. */
  stay: () => {
    process.on("SIGTERM", () => note("SIGTERM"));
    setInterval(() => note("alive"), 100);
    frame({ pid: process.pid });
  },
  /** Leaves a child behind that holds what it inherited. */
  leave: ({ holds }) => {
    const child = spawn("/bin/sleep", ["20"], { stdio: ["ignore", holds ? 1 : "ignore", "ignore"] });
    frame({ child: child.pid });
    process.exit(0);
  },
};

note(`started ${JSON.stringify(process.argv.slice(2))}`);
let read = Buffer.alloc(0);
process.stdin.on("data", (data) => {
  read = Buffer.concat([read, data]);
  while (read.length >= 4 && read.length >= 4 + read.readUInt32LE(0)) {
    const body = read.subarray(4, 4 + read.readUInt32LE(0));
    read = read.subarray(4 + body.length);
    // What cannot be read as JSON is shown as it came.
    let told;
    try {
      told = JSON.parse(body.toString());
    } catch {
      told = null;
    }
    if (typeof told?.do === "string") ACTS[told.do](told);
    else frame({ received: body.length, head: body.subarray(0, 64).toString() });
  }
});
process.stdin.on("end", () => note("end of input"));
