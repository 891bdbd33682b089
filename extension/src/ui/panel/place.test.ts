import { expect, test } from "vitest";
import { type Place, readPlace, SCREENS, writePlace } from "./place.ts";

test("every place comes back from its address", () => {
  for (const screen of SCREENS) {
    for (const part of [null, "models", "a b&c"]) {
      for (const session of [undefined, null, "01A"]) {
        const place: Place = { screen, part, session };
        expect(readPlace(writePlace(place))).toEqual(place);
      }
    }
  }
});

test("an address that means nothing is the live conversation", () => {
  for (const hash of ["", "#", "#screen=nowhere", "#&&&="]) expect(readPlace(hash)).toEqual({ screen: "chat", part: null, session: undefined });
});
