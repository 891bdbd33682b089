// Workspaces to work on: the sample project and a repository of any size, both real git repositories.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { SAMPLE } from "./places.mjs";

/** Git as this test wants it: nobody's settings but the repository's own. */
export function git(folder, environment, ...args) {
  return execFileSync("git", args, { cwd: folder, env: environment, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 64 * 1024 * 1024 });
}

export function commitAll(folder, environment, message) {
  git(folder, environment, "init", "--quiet", "--initial-branch=main");
  git(folder, environment, "config", "user.name", "Sample Author");
  git(folder, environment, "config", "user.email", "author@example.org");
  git(folder, environment, "add", "--all");
  git(folder, environment, "commit", "--quiet", "--message", message);
}

export function makeSample(folder, environment) {
  cpSync(SAMPLE, folder, { recursive: true });
  commitAll(folder, environment, "A shop that adds up a basket");
  return folder;
}

/** `count` small modules in folders of a hundred; one of them holds the needle. */
export function makeLargeRepository(folder, environment, { count, needlePath, needleText }) {
  const folders = Math.ceil(count / 100);
  for (let index = 0; index < folders; index += 1) mkdirSync(path.join(folder, "modules", `part${String(index).padStart(3, "0")}`), { recursive: true });
  for (let index = 0; index < count; index += 1) {
    const part = `part${String(Math.floor(index / 100)).padStart(3, "0")}`;
    writeFileSync(path.join(folder, "modules", part, `module${index}.js`), `// Module ${index}.\nexport function value${index}() {\n  return ${index};\n}\n`);
  }
  mkdirSync(path.dirname(path.join(folder, needlePath)), { recursive: true });
  writeFileSync(path.join(folder, needlePath), needleText);
  commitAll(folder, environment, `A repository of ${count} modules`);
  return folder;
}
