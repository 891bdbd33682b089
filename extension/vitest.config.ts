// Unit tests run in Node; what needs a browser is faked next to the test that needs it.
import { defineConfig } from "vitest/config";
import { WxtVitest } from "wxt/testing/vitest-plugin";

const all = ["src/**/*.test.ts", "src/**/*.test.tsx"];
/** Files with a document of their own, and those that put something in a module's place. All others share their modules. */
const alone = ["src/**/*.test.tsx", "src/**/*.alone.test.ts"];

export default defineConfig({
  plugins: [WxtVitest()],
  test: {
    // What hangs is ended; a slow machine is no fault, and no test's outcome is a time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    environment: "node",
    restoreMocks: true,
    projects: [
      { extends: true, test: { name: "shared", include: all, exclude: alone, isolate: false } },
      { extends: true, test: { name: "alone", include: alone, setupFiles: ["src/testing/patience.ts"] } },
    ],
  },
});
