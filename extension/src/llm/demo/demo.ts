// The demo model: no network, always the same, and labelled as what it is.
//
// It is no language model. It follows one plan, and each step of it follows from what the tools really returned:
// the bug is found by running the tests it read, and the change it proposes is the one after which they pass.
import type { Model, ModelPart, ModelRequest, ToolDefinition } from "../model.ts";
import { findRepair, tryTests, type Repair } from "./repair.ts";
import { isTestFile } from "./run-tests.ts";
import { exitCode, fileText, firstLine, last, pathsIn, readTask, wasDenied, type Done, type Task } from "./transcript.ts";

export const DEMO_LABEL = "Demo (no network)";

type Call = readonly [tool: string, args: Readonly<Record<string, unknown>>];
type Move = { readonly say: string; readonly calls: readonly Call[] };

export function demoModel(pace = PACE_MS): Model {
  return {
    label: DEMO_LABEL,
    async *stream(request) {
      const task = readTask(request.messages);
      const move = nextMove(task, request.tools);
      for (const word of move.say.match(/\S+\s*|\s+/g) ?? []) {
        await breathe(pace, request.signal);
        yield { type: "text", text: word };
      }
      for (const [place, [tool, args]] of move.calls.entries()) {
        const call: ModelPart = { type: "call", providerCall: `demo_${request.messages.length}_${place}`, tool, argsText: JSON.stringify(args), providerData: null };
        yield call;
      }
      yield { type: "finish", reason: move.calls.length === 0 ? "stop" : "tool_calls", usage: null, providerData: null };
    },
  };
}

/** Fast enough not to wait for, slow enough to see that it streams. */
const PACE_MS = 12;

/** Projects larger than this are not what the demo is for. */
const MOST_FILES = 24;

export function nextMove(task: Task, tools: readonly ToolDefinition[]): Move {
  if (/\b(tests?|fix|bug|fail(s|ed|ing|ure)?|broken|repair)\b/i.test(task.text)) return fixTests(task, tools);
  if (/\b(files?|folder|workspace|project|list|look|show|overview|summar\w*|describe|explore)\b/i.test(task.text)) return lookAround(task);
  return { say: EXPLANATION, calls: [] };
}

const EXPLANATION = [
  "I am Outrigger's **demo model**: I run without any network, and I am not a language model.",
  "",
  "I can show you how working with an agent feels here. Try one of these:",
  "",
  "- **Fix the failing test**: I read the project, run its tests, propose an edit for you to approve, run them again, and commit.",
  "- **Give me an overview of the project**: I look at the folder and tell what I see.",
  "",
  "For everything else, add a model of your own in the settings: any server that speaks OpenAI's API, local or remote.",
].join("\n");

function lookAround(task: Task): Move {
  const list = last(task, "fs_list");
  if (list === undefined) {
    return { say: "I look at the workspace.", calls: [["workspace_info", {}], ["fs_list", { depth: 3 }], ["git_status", {}]] };
  }
  const status = last(task, "git_status");
  return {
    say: [
      list.isError ? `I could not list the folder: ${firstLine(list.text)}` : `This is what the folder holds:\n\n\`\`\`\n${list.text.trim()}\n\`\`\``,
      status === undefined || status.isError ? "" : `And git says:\n\n\`\`\`\n${status.text.trim()}\n\`\`\``,
      "I am the demo model, so I leave it at that. Ask me to **fix the failing test** to see more.",
    ]
      .filter((part) => part !== "")
      .join("\n\n"),
    calls: [],
  };
}

function fixTests(task: Task, tools: readonly ToolDefinition[]): Move {
  const latest = task.done.at(-1);
  if (latest === undefined) {
    return {
      say: "I look at the project first.",
      calls: [["workspace_info", {}], ["fs_list", { depth: 3 }], ["search_glob", { pattern: "**/*.{mjs,js,cjs,json}" }]],
    };
  }
  if (wasDenied(latest)) return end(`You said no to \`${latest.tool}\`, so I stop here; nothing was done by it.\n\n> ${firstLine(latest.text)}`);
  switch (latest.tool) {
    case "git_commit":
      return latest.isError ? end(`The change is made and its tests pass, but it could not be committed: ${firstLine(latest.text)}`) : end(summary(task, latest));
    case "git_add":
      if (latest.isError) return end(`The change is made and its tests pass, but it could not be staged: ${firstLine(latest.text)}`);
      return { say: "It is staged. Now the commit.", calls: [["git_commit", { message: commitMessage(task) }]] };
    case "git_status":
    case "git_diff":
      return afterDiff(task);
    case "fs_edit":
      return afterEdit(task, latest, tools);
    case "exec_run":
      return afterTests(task, latest, tools);
    case "fs_read":
      return afterReading(task, tools);
    default:
      return afterLooking(task);
  }
}

function afterLooking(task: Task): Move {
  const found = last(task, "search_glob");
  if (found === undefined || found.isError) return end(`I could not look for files: ${firstLine(found?.text ?? "no answer")}`);
  const paths = pathsIn(found.text).filter((path) => !path.includes("node_modules/") && !path.endsWith("package-lock.json"));
  if (!paths.some(isTestFile)) return end("I found no `*.test.mjs` or `*.test.js` here. The demo model only knows small Node projects that test with `node --test`.");
  const wanted = paths.slice(0, MOST_FILES);
  return { say: `There are ${wanted.length} files to read; I read them together.`, calls: wanted.map((path) => ["fs_read", { path }]) };
}

function afterReading(task: Task, tools: readonly ToolDefinition[]): Move {
  if (last(task, "fs_edit")?.isError === true) return propose(task, "I read the file again; this is the change as it is now.");
  const run = tryTests(filesOf(task));
  const expectation =
    run === null
      ? "I have read the code. Let me see what its tests say."
      : run.failed.length === 0
        ? "From reading, I expect every test to pass. Let me run them to be sure."
        : `From reading, I expect ${run.failed.map(({ name, why }) => `**${name}** to fail, because ${why}`).join(", and ")}. Let me run the tests to be sure.`;
  return runTestsOr(expectation, tools);
}

function afterTests(task: Task, latest: Done, tools: readonly ToolDefinition[]): Move {
  const code = exitCode(latest);
  const edited = task.done.some((each) => each.tool === "fs_edit" && !each.isError);
  if (code === null) return end(`The tests did not run to their end: ${firstLine(latest.text)}`);
  if (code === 0 && !edited) return end("Every test passes; there is nothing to fix.");
  if (code === 0 && !tools.some((tool) => tool.name === "git_status")) return end("The tests pass now. The host offers no git tools, so I leave it at the edit.");
  if (code === 0) return { say: "The tests pass now. I look at what changed.", calls: [["git_status", {}], ["git_diff", {}]] };
  if (edited) return end("The tests still fail after my change. I am only the demo model and do not guess further; the change is in the working folder, and git can show or undo it.");
  return propose(task, "");
}

function propose(task: Task, lead: string): Move {
  const repair = findRepair(filesOf(task));
  if (repair === null) {
    return end("A test fails, but I found no single small change that mends it. A real language model would go on from here; I am only the demo.");
  }
  const attempts = task.done.filter((each) => each.tool === "fs_edit").length;
  if (attempts >= 2) return end("The edit did not go through twice, so I stop here.");
  return { say: [lead, reasoning(repair)].filter((part) => part !== "").join(" "), calls: [["fs_edit", { path: repair.path, edits: [{ old_text: repair.oldText, new_text: repair.newText }] }]] };
}

function reasoning({ failing, path, line, oldText, newText }: Repair): string {
  const first = failing[0];
  return `**${first?.name ?? "A test"}** fails (${first?.why ?? "as seen"}). In \`${path}\`, line ${line}, \`${oldText.trim()}\` should be \`${newText.trim()}\`: with that, every test passes.`;
}

function afterEdit(task: Task, latest: Done, tools: readonly ToolDefinition[]): Move {
  if (!latest.isError) return runTestsOr("The edit is in. I run the tests again.", tools);
  const attempts = task.done.filter((each) => each.tool === "fs_edit").length;
  const path = latest.args["path"];
  if (attempts >= 2 || typeof path !== "string") return end(`The edit did not go through: ${firstLine(latest.text)}`);
  return { say: "The edit did not fit the file any more. I read it again.", calls: [["fs_read", { path }]] };
}

function afterDiff(task: Task): Move {
  const status = last(task, "git_status");
  if (status === undefined || status.isError) return end(`The tests pass now. This is no git repository I can commit to (${firstLine(status?.text ?? "no answer")}), so I leave it at the edit.`);
  const path = editedPath(task);
  if (path === null) return end("The tests pass now.");
  return { say: "Only the one line changed. I stage the file.", calls: [["git_add", { paths: [path] }]] };
}

function runTestsOr(say: string, tools: readonly ToolDefinition[]): Move {
  const commands = commandIds(tools);
  const id = commands.find((each) => each === "node_test") ?? commands.find((each) => each === "npm_test") ?? commands.find((each) => /test/.test(each) && /node|npm|js/.test(each));
  if (id === undefined) {
    const known = commands.length === 0 ? "no commands at all" : commands.map((each) => `\`${each}\``).join(", ");
    return end(`I would run the tests now, but the host allows ${known}. Add a command that runs \`node --test\` to its configuration.`);
  }
  return { say, calls: [["exec_run", { command: id }]] };
}

/** The host lists the allowed ids in the tool's own schema. */
function commandIds(tools: readonly ToolDefinition[]): readonly string[] {
  const properties = tools.find((tool) => tool.name === "exec_run")?.parameters["properties"];
  const command = typeof properties === "object" && properties !== null && "command" in properties ? properties.command : null;
  const ids = typeof command === "object" && command !== null && "enum" in command ? command.enum : null;
  return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
}

/** The files as they were last read, with the edits that went through. */
function filesOf(task: Task): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const { tool, args, text, isError } of task.done) {
    const path = args["path"];
    if (tool === "fs_read" && !isError && typeof path === "string") files.set(path, fileText(text));
  }
  return files;
}

function editedPath(task: Task): string | null {
  const path = task.done.findLast((each) => each.tool === "fs_edit" && !each.isError)?.args["path"];
  return typeof path === "string" ? path : null;
}

function commitMessage(task: Task): string {
  const repair = findRepair(filesOf(task));
  if (repair === null) return "Fix the failing test";
  const name = repair.failing[0]?.name;
  return `Fix ${repair.path.split("/").at(-1) ?? repair.path}\n\n\`${repair.oldText.trim()}\` becomes \`${repair.newText.trim()}\`${name === undefined ? "." : `, so that the test "${name}" passes.`}`;
}

function summary(task: Task, commit: Done): string {
  const repair = findRepair(filesOf(task));
  return [
    "Done.",
    ...(repair === null ? [] : [`- **Found**: \`${repair.failing[0]?.name ?? "a test"}\` failed (${repair.failing[0]?.why ?? ""}).`, `- **Changed**: \`${repair.path}\`, line ${repair.line}: \`${repair.oldText.trim()}\` → \`${repair.newText.trim()}\`.`]),
    "- **Verified**: the tests were run again and pass.",
    `- **Committed**: ${firstLine(commit.text)}`,
    "",
    "This was the demo model. Add a model of your own in the settings to go further.",
  ].join("\n");
}

function end(say: string): Move {
  return { say, calls: [] };
}

function breathe(ms: number, signal: ModelRequest["signal"]): Promise<void> {
  if (ms === 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
