// The gallery: every state of the panel from fixtures, without an extension. Never part of the build.
//
//   node_modules/.bin/vite --config src/ui/gallery/vite.config.ts
import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [tailwindcss()],
  build: { outDir: "../../../.output/gallery", emptyOutDir: true },
});
