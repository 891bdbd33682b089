// `outrigger doctor --in-browser`: real browsers, started by the doctor itself, say whether they reach the host. It is right only when
// they do; what a browser says against it is named; and the home folder is afterwards as it was.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, describe, test } from "node:test";
import { IDS, findProgram, hostBinary } from "./lib/places.mjs";
import { Scratch } from "./lib/scratch.mjs";

const scratch = new Scratch("outrigger-doctor");
after(() => rmSync(scratch.folder, { recursive: true, force: true }));
const environment = scratch.environment();
delete environment.OUTRIGGER_CONFIG;
delete environment.OUTRIGGER_STATE_DIR;
const host = scratch.path("outrigger");
copyFileSync(hostBinary(), host);

const BROWSERS = [
  { id: "chromium", program: findProgram(["chromium"]), manifest: scratch.path("home/.config/chromium/NativeMessagingHosts", `${IDS.host_name}.json`), refused: /Access to the specified native messaging host is forbidden/u },
  { id: "firefox", program: findProgram(["firefox", "firefox-esr"]), manifest: scratch.path("home/.mozilla/native-messaging-hosts", `${IDS.host_name}.json`), refused: /No such native application/u },
];

const outrigger = (...words) => spawnSync(host, words, { env: environment, encoding: "utf8" });
const everything = (folder) => readdirSync(folder, { recursive: true }).toSorted();

/** What the doctor says about the one browser: its answer, and the check of the browser itself. */
function examined(id, search = environment.PATH) {
  const done = spawnSync(host, ["doctor", "--in-browser", "--json", "--browser", id], { env: { ...environment, PATH: search }, encoding: "utf8" });
  const answer = JSON.parse(done.stdout);
  return { ok: answer.browsers[0].ok, status: done.status, probe: answer.browsers[0].checks.find((check) => check.id === "browser.probe") };
}

for (const { id, program, manifest, refused } of BROWSERS) {
  describe(`the doctor in ${id}`, { timeout: 300_000, skip: program === null ? `${id} is not on this machine` : false }, () => {
    test("a link that works is proven by the browser itself, which leaves nothing behind", () => {
      assert.equal(outrigger("install", "--browser", id).status, 0);
      // The probe by hand makes the log that every start of a host makes.
      outrigger("doctor", "--browser", id);
      const before = everything(scratch.folder);
      const { ok, probe } = examined(id);
      assert.equal(probe.verdict, "ok", JSON.stringify(probe));
      assert.equal(ok, true);
      assert.deepEqual(everything(scratch.folder), before);
    });

    test("what the browser itself says against it is named, with one command", () => {
      const good = readFileSync(manifest, "utf8");
      writeFileSync(manifest, good.replace(IDS.chromium.extension_id, "a".repeat(32)).replace(IDS.firefox.extension_id, "other@example.org"));
      const { ok, status, probe } = examined(id);
      writeFileSync(manifest, good);
      assert.deepEqual([ok, status, probe.verdict], [false, 1, "problem"]);
      assert.match(probe.evidence, refused);
      assert.match(probe.fix, new RegExp(`install --browser ${id}$`, "u"));
    });

    test("a browser that cannot be asked is not called right", () => {
      const bin = scratch.make(`bin-${id}`);
      for (const [name, because] of [[null, "was not found in `PATH`"], ["/bin/false", "it ended by itself"]]) {
        if (name !== null) symlinkSync(name, path.join(bin, path.basename(program)));
        const { ok, status, probe } = examined(id, bin);
        assert.deepEqual([ok, status, probe.verdict], [false, 1, "not_checked"]);
        assert.ok(probe.message.startsWith("not possible because ") && probe.message.includes(because), probe.message);
      }
    });
  });
}
