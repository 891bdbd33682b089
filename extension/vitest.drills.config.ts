// Drills that need the built host beside them; see `src/app/real-host.drill.ts`.
import { defineConfig } from "vitest/config";
import { WxtVitest } from "wxt/testing/vitest-plugin";

export default defineConfig({
  plugins: [WxtVitest()],
  // What hangs is ended; a slow machine is no fault.
  test: { environment: "node", include: ["src/**/*.drill.ts"], restoreMocks: true, testTimeout: 800_000, hookTimeout: 300_000 },
});
