// The unit tests of the engine as one page, for `tests/e2e/engine-in-page.test.mjs`. Never part of the build.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  // Vitest itself runs in Node alone; the browser has its own IndexedDB.
  resolve: {
    alias: [
      { find: /^vitest$/, replacement: `${import.meta.dirname}/vitest.mjs` },
      { find: "fake-indexeddb/auto", replacement: `${import.meta.dirname}/nothing.mjs` },
      { find: "fast-check/in-page", replacement: fileURLToPath(import.meta.resolve("fast-check")) },
      { find: /^fast-check$/, replacement: `${import.meta.dirname}/few-runs.mjs` },
    ],
  },
  build: { outDir: "../../../.output/in-page", emptyOutDir: true, target: "esnext", minify: false, chunkSizeWarningLimit: 10_000 },
});
