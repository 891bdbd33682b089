// How much script the panel loads before its first picture, in each browser's build; the largest files are told with it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { FIRST_SCRIPT_KB, scriptsOf, sumOf } from "./lib/bundle.mjs";
import { extensionBuild } from "./lib/places.mjs";

for (const build of ["e2e-chrome-mv3", "e2e-firefox-mv3"]) {
  test(`${build}: the script before the first picture stays within its budget`, (t) => {
    const { first, later } = scriptsOf(extensionBuild(build));
    t.diagnostic(`before the first picture: ${sumOf(first).toFixed(0)} of ${FIRST_SCRIPT_KB} kB in ${first.length} files; after it: ${sumOf(later).toFixed(0)} kB in ${later.length}`);
    for (const { name, kB } of first.slice(0, 4)) t.diagnostic(`${kB.toFixed(0)} kB ${name}`);
    assert.ok(sumOf(first) <= FIRST_SCRIPT_KB, `${sumOf(first).toFixed(0)} kB`);
    // Screens beside the chat, the highlighter and the sheets are asked for when they are looked at.
    assert.ok(later.length >= 5, "what is not the chat is loaded after it");
    // What is read from disk or wire is decoded in the engine; the panel draws what it is given.
    const decoders = first.filter(({ name }) => /ZodError|_zod\b/.test(readFileSync(path.join(extensionBuild(build), "chunks", name), "utf8")));
    assert.deepEqual(decoders, []);
    // English is always there; of the others the one that is spoken comes.
    assert.deepEqual(first.filter(({ name }) => /Kopieren|复制/.test(readFileSync(path.join(extensionBuild(build), "chunks", name), "utf8"))), []);
    assert.ok(!first.some(({ name }) => /settings-screen|highlight-code|history/.test(name)), JSON.stringify(first));
  });
}
