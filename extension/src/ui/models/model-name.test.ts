// Row 44: what comes with the panel is called in the person's language; what a person named keeps its name.
import { expect, test } from "vitest";
import { profileName } from "../chat/profile-name.ts";
import { LANGUAGES } from "../text/all-languages.ts";
import { modelName, modelOf } from "./model-name.ts";

const { en, de } = LANGUAGES;

test("models", () => {
  expect([en, de].map((text) => modelName({ kind: "demo", label: "Demo (no network)" }, text))).toEqual(["Demo model", "Demo-Modell"]);
  expect(modelName({ kind: "openai", label: "Demo (no network)" }, de)).toBe("Demo (no network)");
  expect([modelOf({ model: "demo", modelLabel: "Demo (no network)" }, de), modelOf({ model: "m1", modelLabel: "glm-5" }, de)]).toEqual(["Demo-Modell", "glm-5"]);
});

test("profiles", () => {
  expect([profileName("write", "Write", de), profileName("write", "write", de), profileName("docs", "Documentation", de)]).toEqual(["Schreiben", "Schreiben", "Documentation"]);
  expect(profileName("write", "My own way", de)).toBe("My own way");
});
