// The real host: its configuration, its installation for a browser, and what its processes do.
import { execFile } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { hostBinary } from "./places.mjs";

const run = promisify(execFile);

/** Writes `config.toml` for these workspaces. `more` is appended as it is. */
export function writeConfig(scratch, workspaces, more = "") {
  const entries = workspaces.map(({ id, folder, readOnly = false }) => `[[workspace]]\nid = ${JSON.stringify(id)}\npath = ${JSON.stringify(folder)}\nread_only = ${readOnly}\n`);
  // Commands find the very Node that runs this, wherever it was installed.
  const exec = `[exec]\npath = [${JSON.stringify(path.dirname(process.execPath))}]\n`;
  const file = scratch.path("config.toml");
  writeFileSync(file, ["version = 1\n", ...entries, exec, more].join("\n"));
  chmodSync(file, 0o600);
  return file;
}

export async function outrigger(environment, ...args) {
  try {
    const { stdout, stderr } = await run(hostBinary(), args, { env: environment, timeout: 60_000 });
    return { code: 0, stdout, stderr };
  } catch (error) {
    if (typeof error.code !== "number") throw error;
    return { code: error.code, stdout: error.stdout, stderr: error.stderr };
  }
}

async function outriggerOrFail(environment, ...args) {
  const done = await outrigger(environment, ...args);
  if (done.code !== 0) throw new Error(`\`outrigger ${args.join(" ")}\` failed (${done.code}): ${done.stderr || done.stdout}`);
  return done.stdout;
}

export function installForChromium(environment, profile) {
  return outriggerOrFail(environment, "install", "--browser", "chromium", "--user-data-dir", profile);
}

export function installForFirefox(environment) {
  return outriggerOrFail(environment, "install", "--browser", "firefox");
}

/** Descendants of a process (by pid, not by name) whose command line holds `words`. Linux only. */
export function descendants(pid, words) {
  const parents = new Map();
  const lines = new Map();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
      parents.set(Number(entry), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
      lines.set(Number(entry), readFileSync(`/proc/${entry}/cmdline`, "utf8").replaceAll("\0", " ").trim());
    } catch {
      // It ended while we looked.
    }
  }
  const isBelow = (candidate) => {
    for (let at = parents.get(candidate); at !== undefined && at > 0; at = parents.get(at)) if (at === pid) return true;
    return false;
  };
  return [...lines].filter(([candidate, line]) => line.includes(words) && isBelow(candidate)).map(([candidate, line]) => ({ pid: candidate, line }));
}

export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return readFileSync(`/proc/${pid}/stat`, "utf8").match(/\) (\S)/)?.[1] !== "Z";
  } catch {
    return false;
  }
}
