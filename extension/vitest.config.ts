// Unit tests run in Node; what needs a browser is faked next to the test that needs it.
import { defineConfig } from "vitest/config";
import { WxtVitest } from "wxt/testing/vitest-plugin";

export default defineConfig({
  plugins: [WxtVitest()],
  // What hangs is ended; a slow machine is no fault, and no test's outcome is a time.
  test: { testTimeout: 300_000, hookTimeout: 300_000, environment: "node", include: ["src/**/*.test.ts", "src/**/*.test.tsx"], restoreMocks: true },
});
