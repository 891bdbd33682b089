// Unit tests run in Node; what needs a browser is faked next to the test that needs it.
import { defineConfig } from "vitest/config";
import { WxtVitest } from "wxt/testing/vitest-plugin";

export default defineConfig({
  plugins: [WxtVitest()],
  test: { environment: "node", include: ["src/**/*.test.ts", "src/**/*.test.tsx"], restoreMocks: true },
});
