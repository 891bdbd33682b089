// A page of the extension's own sources, built by its builder and served to a browser: no part of what ships.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { EXTENSION } from "./places.mjs";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2" };

/** `config` is the builder's, relative to the extension. */
export function buildPage(config) {
  execFileSync(path.join(EXTENSION, "node_modules/.bin/vite"), ["build", "--config", config, "--logLevel", "error"], { cwd: EXTENSION, stdio: "inherit" });
}

/** Serves what stands in that folder of the builder's output; the server, with its `url`. */
export async function servePage(name) {
  const folder = path.join(EXTENSION, ".output", name);
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://x");
    try {
      const body = readFileSync(path.join(folder, pathname === "/" ? "index.html" : path.normalize(pathname)));
      // The builder names its parts by their content: a browser that opens hundreds of states reads and compiles them once.
      const keep = pathname.startsWith("/assets/") ? { "cache-control": "public, max-age=31536000, immutable" } : {};
      response.writeHead(200, { "content-type": TYPES[path.extname(pathname)] ?? "text/html", ...keep });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}
