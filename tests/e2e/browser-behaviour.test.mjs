// What browsers really do with a native host: manifests, misbehaviour on the wire, life and death, what becomes of values; and what
// we say about it. Each row is asserted in Chromium and in Firefox, so that a browser that changes its mind is noticed here.
//
// Quick rows; `BEHAVIOUR=all` adds those that wait for seconds.
import assert from "node:assert/strict";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { isAlive } from "./lib/host.mjs";
import { sleep, waitUntil } from "./lib/wait.mjs";
import { BehaviourStage } from "./behaviour/stage.mjs";
import { importSource } from "./lib/source.mjs";

const { faultOfDisconnect } = await importSource("src/host/faults.ts");
const isWhole = process.env.BEHAVIOUR === "all" || process.env.DRILL === "all";
const slow = { skip: isWhole ? false : "BEHAVIOUR=all runs it" };
const BROWSERS = (process.env.BEHAVIOUR_BROWSERS ?? "chromium,firefox").split(",");

const GOOD = "reached";
const NOT_FOUND = { chromium: "Specified native messaging host not found.", firefox: /^No such native application / };
const UNEXPECTED = "An unexpected error occurred";
const EXITED = { chromium: "Native host has exited.", firefox: null };
const GARBLED = "Error when communicating with the native messaging host.";

/** The change to a good manifest, what each browser then says, and which reason the panel gives. */
const MANIFESTS = [
  { row: "good", is: GOOD },
  { row: "a dot and a slash in the path", make: (stage) => ({ path: stage.program.replace("/bin/", "/bin/./../bin/") }), is: GOOD },
  { row: "no manifest", write: false, is: NOT_FOUND, code: "host_not_found" },
  { row: "text that is no JSON", text: "{ nothing", is: NOT_FOUND, code: "host_not_found" },
  { row: "a name that is not the file's", make: () => ({ name: "dev.outrigger.other" }), is: NOT_FOUND, code: "host_not_found" },
  { row: "no description", make: () => ({ description: undefined }), is: NOT_FOUND, code: "host_not_found" },
  { row: "another type than stdio", make: () => ({ type: "socket" }), is: NOT_FOUND, code: "host_not_found" },
  { row: "a relative path", make: () => ({ path: "bin/host" }), is: NOT_FOUND, code: "host_not_found" },
  { row: "a path to nothing", make: () => ({ path: "/nowhere/host" }), is: { chromium: NOT_FOUND.chromium, firefox: UNEXPECTED }, code: { chromium: "host_not_found", firefox: "host_unstartable" } },
  { row: "a path to a folder", make: (stage) => ({ path: stage.scratch.make("a-folder") }), is: { chromium: /has exited|Error when communicating/, firefox: UNEXPECTED }, code: { chromium: /host_exited|host_garbled/, firefox: "host_unstartable" } },
  { row: "a file that is not executable", make: (stage) => ({ path: stage.plain }), is: { chromium: /has exited|Error when communicating/, firefox: UNEXPECTED }, code: { chromium: /host_exited|host_garbled/, firefox: "host_unstartable" } },
  { row: "another extension", make: (stage) => (stage.name === "chromium" ? { allowed_origins: ["chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/"] } : { allowed_extensions: ["other@example.org"] }), is: { chromium: "Access to the specified native messaging host is forbidden.", firefox: NOT_FOUND.firefox }, code: { chromium: "access_forbidden", firefox: "host_not_found" } },
  { row: "an origin without its slash", only: "chromium", make: (stage) => ({ allowed_origins: [...stage.caller.allowed_origins, "chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"] }), is: NOT_FOUND, code: "host_not_found" },
  { row: "an origin with a wildcard", only: "chromium", make: () => ({ allowed_origins: ["chrome-extension://*/"] }), is: NOT_FOUND, code: "host_not_found" },
  { row: "an extension's id with a wildcard", only: "firefox", make: () => ({ allowed_extensions: ["*"] }), is: NOT_FOUND, code: "host_not_found" },
  { row: "a list of nobody", make: (stage) => (stage.name === "chromium" ? { allowed_origins: [] } : { allowed_extensions: [] }), is: { chromium: /forbidden|not found/, firefox: NOT_FOUND.firefox }, code: { chromium: /access_forbidden|host_not_found/, firefox: "host_not_found" } },
  { row: "a key that it does not know", make: () => ({ installed_by: "us" }), is: { chromium: GOOD, firefox: NOT_FOUND.firefox }, code: { firefox: "host_not_found" } },
  { row: "the other browser's key as well", make: (stage) => (stage.name === "chromium" ? { allowed_extensions: ["a@b"] } : { allowed_origins: ["chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/"] }), is: { chromium: GOOD, firefox: NOT_FOUND.firefox }, code: { firefox: "host_not_found" } },
  { row: "a link to a manifest", link: true, is: GOOD },
  { row: "a link to the program", make: (stage) => ({ path: stage.linked }), is: GOOD },
  { row: "a byte order mark", bom: true, is: GOOD },
];

/** The host's act, and what is left of the port. `came` is what was delivered; with `open` the port outlived it. */
const WIRE = [
  { row: "a body of 1 000 000 bytes", say: { do: "size", size: 1_000_000 }, open: true, came: [{ length: 999_998 }] },
  { row: "a body of 1 MiB", say: { do: "size", size: 1_048_576 }, open: true, came: [{ length: 1_048_574 }] },
  { row: "one byte more", say: { do: "size", size: 1_048_577 }, open: false, error: { chromium: GARBLED, firefox: /tried to send a message of 1048577 bytes, which exceeds the limit of 1048576/ }, code: "host_garbled" },
  { row: "the limit counts bytes, not characters", say: { do: "size", size: 1_048_577, letter: "ü" }, open: false, error: { chromium: GARBLED, firefox: /1048577/ }, code: "host_garbled" },
  { row: "a body that is no JSON", say: { do: "raw", hex: Buffer.from("{no").toString("hex") }, chromium: { open: true, came: [{ after: true }] }, firefox: { open: false, error: UNEXPECTED } },
  { row: "an empty frame", say: { do: "raw", hex: "" }, chromium: { open: true, came: [{ after: true }] }, firefox: { open: false, error: UNEXPECTED } },
  { row: "bytes that are no UTF-8", say: { do: "raw", hex: "22ff22" }, want: 2, open: true, came: ["\uFFFD", { after: true }] },
  { row: "a number alone", say: { do: "raw", hex: "35" }, want: 2, open: true, came: [5, { after: true }] },
  { row: "null alone", say: { do: "raw", hex: "6e756c6c" }, want: 2, open: true, came: [null, { after: true }] },
  { row: "a text alone", say: { do: "raw", hex: "2278cc8822" }, want: 2, open: true, came: ["x\u0308", { after: true }] },
  { row: "half a frame, then its end", say: { do: "half" }, open: false, error: EXITED, code: "host_exited" },
  { row: "words on stdout", say: { do: "noise" }, open: false, error: { chromium: GARBLED, firefox: /exceeds the limit/ }, code: "host_garbled" },
  { row: "an end without fault", say: { do: "exit", code: 0 }, open: false, error: EXITED, code: "host_exited" },
  { row: "an end with a code, which nobody learns", say: { do: "exit", code: 3 }, open: false, error: EXITED, code: "host_exited" },
  { row: "a last word is delivered", say: { do: "replyExit" }, want: 2, open: false, error: EXITED, came: [{ bye: true }] },
  { row: "4 MiB on stderr hold up nothing", say: { do: "stderr" }, open: true, came: [{ after: true }] },
  { row: "a closed stdout", say: { do: "closed" }, open: false, error: EXITED, code: "host_exited" },
];

/** What is sent, by its source, and what the host reads as JSON. */
const VALUES = [
  ["9007199254740993", 9007199254740992],
  ["'\\u2028 \\u{1F600}'", "\u2028 \u{1F600}"],
  ["new Date(0)", { chromium: "1970-01-01T00:00:00.000Z", firefox: "1970-01-01T00:00:00.000Z" }],
  ["[undefined, 1]", [null, 1]],
  ["[Number.NaN, Infinity]", [null, null]],
  ["'\\ud800'", "\ud800"],
];

/** What is sent without an object around it, and the bytes that the host reads: Firefox sends an empty frame for what is no JSON. */
const BARE = {
  chromium: { undefined: "null", NaN: "null", five: "5", null: "null", "two smileys": '"\u{1F600}\u2028"', "half a smiley": '"\\ud83d"', NUL: '"\\u0000"', function: "refused" },
  firefox: { undefined: "", NaN: "null", five: "5", null: "null", "two smileys": '"\u{1F600}\u2028"', "half a smiley": '"\\ud83d"', NUL: '"\\u0000"', function: "" },
};

const pick = (value, name) => (value !== null && typeof value === "object" && !(value instanceof RegExp) && !Array.isArray(value) && ("chromium" in value || "firefox" in value) ? value[name] : value);
const fits = (found, wanted, words) => (wanted instanceof RegExp ? assert.match(String(found), wanted, words) : assert.deepEqual(found, wanted, words));

for (const name of BROWSERS) {
  describe(`what ${name} does`, { timeout: 600_000 }, () => {
    let stage;
    const HOST = "dev.outrigger.behaviour";
    before(async () => {
      stage = await BehaviourStage.open(name);
      stage.plain = stage.scratch.path("plain.txt");
      writeFileSync(stage.plain, "#!/bin/sh\n", { mode: 0o644 });
      stage.linked = stage.scratch.path("linked-host");
      symlinkSync(stage.program, stage.linked);
      stage.manifest(HOST);
    });
    after(() => stage?.close());
    const explained = (error) => faultOfDisconnect(error, "an-id").code;

    test("a host whose manifest comes while the browser runs is found at the next try", async () => {
      fits((await stage.talk("dev.outrigger.late")).error, pick(NOT_FOUND, name));
      stage.manifest("dev.outrigger.late");
      assert.deepEqual((await stage.talk("dev.outrigger.late", [{ do: "echo", value: 1 }])).came, [{ value: 1 }]);
    });

    for (const [place, { row, only = name, make = () => ({}), write = true, text = null, bom = false, link = false, is, code = null }] of MANIFESTS.entries()) {
      test(`manifest: ${row}`, { skip: only !== name }, async () => {
        const host = `dev.outrigger.manifest${place}`;
        const change = make(stage);
        if (write) stage.manifest(host, change, { text: bom ? `\uFEFF${JSON.stringify({ name: host, description: "x", path: stage.program, type: "stdio", ...stage.caller })}` : text, link });
        const { error, came, threw } = await stage.talk(host, [{ do: "echo", value: row }]);
        assert.equal(threw, undefined);
        if (pick(is, name) === GOOD) return assert.deepEqual(came, [{ value: row }]);
        fits(error, pick(is, name));
        fits(explained(error), pick(code, name), `the reason for ${error}`);
      });
    }

    test("a name with a capital or a dash is refused as each browser does", async () => {
      stage.manifest("dev.outrigger.Capital");
      stage.manifest("dev.outrigger.a-dash");
      const [capital, dash] = [await stage.talk("dev.outrigger.Capital", [{ do: "echo" }]), await stage.talk("dev.outrigger.a-dash", [{ do: "echo" }])];
      if (name === "firefox") return assert.deepEqual([capital.came.length, typeof dash.threw], [1, "string"]);
      for (const { error } of [capital, dash]) assert.equal(error, "Invalid native messaging host name specified.");
    });

    for (const { row, say, want = 1, ...wanted } of WIRE) {
      test(`wire: ${row}`, async () => {
        const { open, came = null, error = null, code = null } = { ...wanted, ...wanted[name] };
        const done = await stage.talk(HOST, [say], { want });
        assert.equal(done.open, open, JSON.stringify(done));
        if (came !== null) assert.deepEqual(done.came, came);
        if (!open) fits(done.error, pick(error, name));
        if (code !== null) assert.equal(explained(done.error), code);
      });
    }

    test("values arrive as JSON has them", async () => {
      const found = await stage.page.evaluate(async (host, sources) => {
        const { runtime } = globalThis.browser ?? globalThis.chrome;
        // No evaluation of text is allowed in a page: the values are made by name.
        const made = { 0: 9007199254740993, 1: "\u2028 \u{1F600}", 2: new Date(0), 3: [undefined, 1], 4: [Number.NaN, Infinity], 5: "\ud800" };
        const all = [];
        for (let place = 0; place < sources; place += 1) {
          all.push(
            await new Promise((resolve) => {
              const port = runtime.connectNative(host);
              port.onMessage.addListener((message) => (resolve(message.value), port.disconnect()));
              port.onDisconnect.addListener(() => resolve("closed"));
              try {
                port.postMessage({ do: "echo", value: made[place] });
              } catch (error) {
                resolve(error.message);
              }
            }),
          );
        }
        const refused = [1n, (() => { const knot = {}; knot.knot = knot; return knot; })()].map((value) => {
          const port = runtime.connectNative(host);
          try {
            port.postMessage({ do: "echo", value });
            return null;
          } catch (error) {
            return error.message;
          } finally {
            port.disconnect();
          }
        });
        return { all: JSON.stringify(all), refused };
      }, HOST, VALUES.length);
      assert.deepEqual(JSON.parse(found.all), VALUES.map(([, wanted]) => pick(wanted, name)));
      for (const words of found.refused) assert.equal(typeof words, "string", "a value that is no JSON is refused at once");
    });

    test("what is sent bare comes as JSON, byte by byte, or is refused at once", async () => {
      const found = await stage.page.evaluate(async (host) => {
        const { runtime } = globalThis.browser ?? globalThis.chrome;
        const bare = { undefined, NaN: Number.NaN, five: 5, null: null, "two smileys": "\u{1F600}\u2028", "half a smiley": "\ud83d", NUL: "\0", function: () => {} };
        const all = {};
        for (const [name, value] of Object.entries(bare)) {
          all[name] = await new Promise((resolve) => {
            const port = runtime.connectNative(host);
            const done = (words) => (clearTimeout(timer), port.disconnect(), resolve(words));
            const timer = setTimeout(() => done("nothing"), 5_000);
            port.onMessage.addListener(({ head }) => done(head));
            port.onDisconnect.addListener(() => done("closed"));
            try {
              port.postMessage(value);
            } catch {
              done("refused");
            }
          });
        }
        return all;
      }, HOST);
      assert.deepEqual(found, BARE[name]);
    });

    test("a question without a port: a host for each, which ends with its first answer", async () => {
      const ask = () => stage.page.evaluate((host) => (globalThis.browser ?? globalThis.chrome).runtime.sendNativeMessage(host, { do: "facts" }), HOST);
      const answers = [await ask(), await ask()];
      assert.notEqual(answers[0].pid, answers[1].pid);
      await waitUntil("the end of both", () => answers.every(({ pid }) => !isAlive(pid)), { timeoutMs: 30_000 });
    });

    test("a port that is closed twice says nothing, and its host sees the end", async () => {
      const pid = await stage.page.evaluate((host) => new Promise((resolve, reject) => {
        const port = (globalThis.browser ?? globalThis.chrome).runtime.connectNative(host);
        port.onDisconnect.addListener(() => reject(new Error("who closes a port is not told")));
        port.onMessage.addListener(({ pid }) => {
          port.disconnect();
          port.disconnect();
          setTimeout(() => resolve(pid), 200);
        });
        port.postMessage({ do: "facts" });
      }), HOST);
      await waitUntil("the end of its input", () => stage.notes(pid).some(([, , words]) => words === "end of input"));
    });

    test("a browser with a folder of its own looks nowhere else in the home", { skip: name !== "chromium" }, async () => {
      const usual = stage.scratch.make("home", ".config", "chromium", "NativeMessagingHosts");
      writeFileSync(`${usual}/dev.outrigger.usual.json`, JSON.stringify({ name: "dev.outrigger.usual", description: "x", path: stage.program, type: "stdio", ...stage.caller }));
      const { error } = await stage.talk("dev.outrigger.usual");
      assert.equal(error, NOT_FOUND.chromium);
    });

    test("32 MiB in pieces reach the host; in one piece Firefox takes many times as long", slow, async () => {
      const took = (pieces) => stage.page.evaluate((host, pieces) => new Promise((resolve, reject) => {
        const port = (globalThis.browser ?? globalThis.chrome).runtime.connectNative(host);
        const piece = "x".repeat((32 * 1024 * 1024) / pieces - 2);
        let count = 0;
        let start;
        port.onDisconnect.addListener(() => reject(new Error("the port closed")));
        port.onMessage.addListener(({ received }) => {
          if (start === undefined) {
            start = performance.now();
            for (let sent = 0; sent < pieces; sent += 1) port.postMessage(piece);
            return;
          }
          if (received !== piece.length + 2) return reject(new Error(`a piece of ${received} bytes`));
          count += 1;
          if (count < pieces) return;
          resolve(performance.now() - start);
          port.disconnect();
        });
        port.postMessage(0);
      }), HOST, pieces);
      const [inPieces, whole] = [await took(128), await took(1)];
      if (name === "firefox") assert.ok(whole > 3 * inPieces, `one piece: ${whole} ms, 128: ${inPieces} ms`);
    });

    test("a message to the host: Chromium stops before 64 MiB, and the port lives on", { ...(name === "chromium" ? {} : { skip: "Firefox knows no limit that is worth waiting for" }) }, async () => {
      const { thrown, received } = await stage.page.evaluate((host) => new Promise((resolve) => {
        const port = chrome.runtime.connectNative(host);
        let thrown = null;
        try {
          port.postMessage("x".repeat(64 * 1024 * 1024));
        } catch (error) {
          thrown = error.message;
        }
        port.onMessage.addListener(({ received }) => (resolve({ thrown, received }), port.disconnect()));
        port.postMessage("x".repeat(1024 * 1024));
      }), HOST);
      assert.match(thrown, /64MiB/);
      assert.equal(received, 1024 * 1024 + 2);
    });

    test("a host learns who calls, and gets the browser's own surroundings", async () => {
      const [facts] = (await stage.talk(HOST, [{ do: "facts" }])).came;
      const args = facts.argv.slice(1);
      if (name === "chromium") assert.deepEqual(args, stage.caller.allowed_origins);
      else assert.deepEqual([args[0].endsWith(`/${HOST}.json`), args[1]], [true, stage.caller.allowed_extensions[0]]);
      assert.equal(facts.cwd, stage.program.replace(/\/host$/, ""));
      assert.equal(facts.given, "by the browser");
      const browsers = Number(readFileSync(`/proc/${stage.browser.pid}/stat`, "utf8").split(") ").at(-1).split(" ")[2]);
      assert.equal(facts.group, browsers, "Ctrl-C in the browser's terminal reaches it");
    });

    test("each port has a host of its own", async () => {
      const pids = await Promise.all(Array.from({ length: 5 }, async () => (await stage.talk(HOST, [{ do: "facts" }])).came[0].pid));
      assert.equal(new Set(pids).size, 5);
    });

    test("a child that holds stdout keeps the port; one that does not outlives its host", async () => {
      const held = await stage.talk(HOST, [{ do: "leave", holds: true }], { want: 2, patienceMs: 3_000 });
      assert.equal(held.open, true, "the port stands although the host is dead");
      const free = await stage.talk(HOST, [{ do: "leave", holds: false }], { want: 2 });
      assert.equal(free.open, false);
      for (const [{ child }] of [held.came, free.came]) {
        assert.ok(isAlive(child), "no browser ends what a host started");
        process.kill(child, "SIGKILL");
      }
    });

    test("a host that ignores its end is ended by force", slow, async () => {
      const { came } = await stage.talk(HOST, [{ do: "stay" }]);
      const { pid } = came[0];
      await waitUntil("its end", () => !isAlive(pid), { timeoutMs: 60_000 });
      const notes = stage.notes(pid);
      const ended = notes.find(([, , words]) => words === "end of input");
      const last = notes.at(-1)[0] - ended[0];
      assert.equal(notes.some(([, , words]) => words === "SIGTERM"), name === "firefox", "only Firefox asks first");
      // Two seconds in Chromium, three and three in Firefox; a busy machine makes it more.
      assert.ok(last > (name === "chromium" ? 1_200 : 2_500), `it lived for ${last} ms`);
    });

    test("an open port keeps the background, and its host, for longer than browsers keep an idle one", slow, async () => {
      const start = Date.now();
      const known = new Set(stage.notes().map(([, pid]) => pid));
      const background = name === "chromium" ? await (await stage.browser.worker()).worker() : null;
      if (background === null) {
        await stage.page.evaluate(async (host) => {
          const realm = await browser.runtime.getBackgroundPage();
          realm.kept = realm.browser.runtime.connectNative(host);
          realm.born = 7;
        }, HOST);
      } else {
        await background.evaluate((host) => {
          globalThis.kept = chrome.runtime.connectNative(host);
          globalThis.born = 7;
        }, HOST);
      }
      await sleep(45_000);
      const born = background === null ? await stage.page.evaluate(async () => (await browser.runtime.getBackgroundPage())?.born) : await (await (await stage.browser.worker()).worker()).evaluate(() => globalThis.born);
      const [host] = stage.notes().map(([, pid]) => pid).filter((pid) => !known.has(pid));
      assert.ok(host !== undefined && isAlive(host), "its host still runs");
      assert.equal(born, 7, `the same background after ${Math.round((Date.now() - start) / 1_000)} s`);
    });

    test("a browser that is killed ends its hosts' input, and nothing else", async () => {
      await stage.page.evaluate(() => { globalThis.keepsPorts = true; });
      const { pid } = (await stage.talk(HOST, [{ do: "stay" }])).came[0];
      await stage.kill();
      await waitUntil("the end of its input", () => stage.notes(pid).some(([, , words]) => words === "end of input"));
      assert.ok(isAlive(pid), "the host must end by itself");
      process.kill(pid, "SIGKILL");
    });
  });
}
