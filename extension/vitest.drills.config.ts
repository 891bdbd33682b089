// Drills that need the built host beside them; see `src/app/real-host.drill.ts`.
import { defineConfig } from "vitest/config";
import { WxtVitest } from "wxt/testing/vitest-plugin";

export default defineConfig({
  plugins: [WxtVitest()],
  test: { environment: "node", include: ["src/**/*.drill.ts"], restoreMocks: true },
});
