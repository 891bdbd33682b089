// What views read of a call's arguments without the tools' decoders is what these would take.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LOOP_TOOLS } from "./loop-tools/catalog.ts";
import { todoParams } from "./loop-tools/todo.ts";
import { neededOrigin } from "./needed-origin.ts";
import { readTodos } from "./todos.ts";

const text = fc.oneof(fc.string(), fc.constantFrom("", "a".repeat(300), "a".repeat(301)));
const status = fc.oneof(fc.constantFrom("pending", "in_progress", "done", "later"), fc.anything());
const item = fc.oneof({ weight: 5, arbitrary: fc.record({ text, status, more: fc.anything() }, { requiredKeys: [] }) }, { weight: 1, arbitrary: fc.anything() });
const list = fc.oneof(fc.array(item, { maxLength: 4 }), fc.array(fc.record({ text: fc.constant("a"), status: fc.constant("done") }), { minLength: 49, maxLength: 52, size: "max" }));

test("a list of what is to be done is read as the tool reads it", () => {
  fc.assert(
    fc.property(fc.oneof(fc.record({ items: list }), fc.anything()), (args) => {
      const read = todoParams.safeParse(args);
      expect(readTodos(args)).toEqual(read.success ? read.data.items : null);
    }),
    { numRuns: 500 },
  );
});

test("the address a call needs is the one its tool names", () => {
  const url = fc.oneof(fc.webUrl(), fc.string(), fc.constantFrom("https://example.org", "http://127.0.0.1/", "", `https://example.org/${"a".repeat(2_000)}`), fc.anything());
  const most = fc.oneof(fc.integer({ min: 90, max: 60_010 }), fc.constantFrom(99, 100, 60_000, 60_001, 1.5, Number.NaN), fc.constant(undefined), fc.anything());
  fc.assert(
    fc.property(fc.record({ url, max_chars: most }, { requiredKeys: [] }), (args) => {
      for (const { definition, origin } of LOOP_TOOLS) expect(neededOrigin(definition.name, args)).toBe(origin(args));
    }),
    { numRuns: 500 },
  );
});
