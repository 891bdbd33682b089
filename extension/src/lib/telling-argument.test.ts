import { expect, test } from "vitest";
import { tellingArgument } from "./telling-argument.ts";

test.each([
  [{ path: "src/a.ts", content: "x" }, "src/a.ts"],
  [{ command: "node_test", args: ["--watch", "a b"] }, "node_test --watch a b"],
  [{ message: "A title\n\nand more" }, "A title"],
  [{ patch: "*** Begin Patch\n*** Add File: a b.ts\n+x\n*** Update File: src/c.ts\n@@\n-x\n+y\n*** End Patch\n" }, "a b.ts src/c.ts"],
  [{ patch: "--- a/src/c.ts\n+++ b/src/c.ts\n@@ -1 +1 @@\n-x\n+y\n" }, "src/c.ts"],
  [{ patch: "nothing that is one" }, "nothing that is one"],
  [{ dry: true }, ""],
  [null, ""],
])("%j is about %s", (args, words) => {
  expect(tellingArgument(args)).toBe(words);
});
