import { expect, test } from "vitest";
import { WireError } from "./decode.ts";
import { decodeDoctor, decodePicked, readRefusal } from "./errands.ts";

test("a verdict that is not known counts as not checked, never as right", () => {
  const doctor = decodeDoctor({ version: "9", ok: true, browsers: [], general: [{ id: "new.check", verdict: "splendid", message: "m" }] });
  expect(doctor.general[0]).toEqual({ id: "new.check", verdict: "not_checked", message: "m", fixable: false });
});

test.each([[{ state: "stolen" }], [{}], [null]])("%j is no picked folder", (value) => expect(() => decodePicked(value)).toThrow(WireError));

test("a refusal without words of its own is none", () => {
  expect(readRefusal({ reason: "no_dialog", hint: "h", command: "outrigger workspace add DIR" })).toEqual({ reason: "no_dialog", hint: "h", command: "outrigger workspace add DIR" });
  expect(readRefusal("no")).toBeNull();
});
