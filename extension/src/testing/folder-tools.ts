// Tools that work on a real folder, answering in the host's words: for unit tests only.
import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FakeTool } from "./fake-host.ts";

export function folderTools(root: string): readonly FakeTool[] {
  const git = (...args: readonly string[]) => run("git", args, root);
  return [
    { name: "workspace_info", readOnly: true, tier: "auto", run: () => ({ text: "app (default)" }) },
    { name: "fs_list", readOnly: true, tier: "auto", run: async () => ({ text: (await files(root)).join("\n") }) },
    {
      name: "search_glob",
      readOnly: true,
      tier: "auto",
      run: async () => ({ text: `${(await files(root)).filter((path) => /\.(mjs|js|cjs|json)$/.test(path)).join("\n")}\n4 paths` }),
    },
    {
      name: "fs_read",
      readOnly: true,
      tier: "auto",
      run: async ({ path }) => {
        const lines = (await readFile(join(root, String(path)), "utf8")).split("\n");
        const numbered = lines.slice(0, -1).map((line, place) => `${String(place + 1).padStart(5)}|${line}`);
        return { text: `${numbered.join("\n")}\n[${lines.length - 1} lines]` };
      },
    },
    {
      name: "fs_edit",
      readOnly: false,
      tier: "batch",
      run: async ({ path, edits }) => {
        const [edit] = edits as [{ old_text: string; new_text: string }];
        const file = join(root, String(path));
        const text = await readFile(file, "utf8");
        if (text.split(edit.old_text).length !== 2) return { text: "no_match: it is not there once", isError: true, code: "no_match" };
        await writeFile(file, text.replace(edit.old_text, () => edit.new_text));
        return { text: `edited ${String(path)}` };
      },
    },
    {
      name: "exec_run",
      readOnly: false,
      tier: "individual",
      inputSchema: { type: "object", properties: { command: { type: "string", enum: ["node_test"] } } },
      preview: () => ({ kind: "command", command: "node_test", program: "/usr/bin/node", args: ["--test"], workdir: ".", network: false, sandbox: "none", timeout_ms: 120_000, can_read_blocked: true }),
      run: async () => {
        const { code, output } = await run(process.execPath, ["--test"], root);
        return { text: `\`node_test\` exited with code ${code} after 0.1 s.\n\n${output}` };
      },
    },
    { name: "git_status", readOnly: true, tier: "auto", run: async () => ({ text: (await git("status", "--short")).output }) },
    { name: "git_diff", readOnly: true, tier: "auto", run: async () => ({ text: (await git("diff")).output }) },
    {
      name: "git_add",
      readOnly: false,
      tier: "batch",
      preview: ({ paths }) => ({ kind: "stage", action: "stage", paths }),
      run: async ({ paths }) => ({ text: (await git("add", ...(paths as string[]))).output }),
    },
    {
      name: "git_commit",
      readOnly: false,
      tier: "batch",
      preview: ({ message }) => ({ kind: "commit", message, author: "Ada <ada@example.org>", branch: "main" }),
      run: async ({ message }) => ({ text: (await git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-m", String(message))).output }),
    },
  ];
}

async function files(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.parentPath.includes(".git"))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .toSorted();
}

export function run(program: string, args: readonly string[], cwd: string): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    // Node's test runner behaves otherwise inside another one.
    const { NODE_TEST_CONTEXT: _context, NODE_OPTIONS: _options, ...env } = process.env;
    execFile(program, [...args], { cwd, env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : error === null ? 0 : 1, output: stdout + stderr });
    });
  });
}
