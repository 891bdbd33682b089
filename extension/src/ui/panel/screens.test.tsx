// @vitest-environment happy-dom
// What is pressed on the screens around the conversation, and what the engine is told.
import { act, cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { allScenes } from "../gallery/all-scenes.ts";
import { DOUBLE_CLICK_MS } from "../common/use-sure.ts";
import { summaries } from "../gallery/basics.ts";
import { eventually } from "../../testing/eventually.ts";
import { fakeClient, type Scene, type SentIntent } from "../gallery/fake-client.ts";
import { Panel } from "./panel.tsx";

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

async function open(name: string): Promise<SentIntent[]> {
  const scene = allScenes[name];
  if (!scene) throw new Error(`no scene ${name}`);
  const sent: SentIntent[] = [];
  location.hash = scene.place ?? "";
  render(<Panel client={fakeClient(scene, sent)} />);
  await act(async () => {});
  sent.length = 0;
  return sent;
}

const press = async (testId: string, place = 0) => {
  const control = screen.getAllByTestId(testId)[place];
  if (!control) throw new Error(`no ${testId}`);
  await act(async () => fireEvent.click(control));
};
const fill = (testId: string, value: string) => fireEvent.change(screen.getByTestId(testId), { target: { value } });
const submit = async (testId: string) => act(async () => fireEvent.submit(screen.getByTestId(testId)));

test("a page of the settings is called what it is of, not as its list", async () => {
  for (const [name, title] of [["settings-models", "Models and keys"], ["settings-model-new", "Add a model"], ["settings-model-edit", "Model"], ["settings-profile", "Profile"], ["settings-rules", "Rules and leases"], ["settings-rule-new", "New rule"], ["settings-rule-change", "Rule"], ["settings-schedule", "Schedule"]] as const) {
    await open(name);
    expect(screen.getByTestId("title").textContent, name).toBe(title);
    cleanup();
  }
});

test("limits: what is left empty is not told, and seconds become milliseconds", async () => {
  const sent = await open("settings-limits");
  fill("limit-minutes", "25");
  fill("timeout-seconds", "12,5");
  fill("limit-retry-first", "0,5");
  fill("limit-retry-last", "30");
  await submit("limits-form");
  expect(sent).toEqual([{ name: "setLimits", params: { session: null, limits: { steps: 80, minutes: 25, retryFirstMs: 500, retryLastMs: 30_000, toolTimeoutsMs: { exec_run: 12_500 } } } }]);
});

test("another model beside a conversation is chosen, and unchosen", async () => {
  const sent = await open("settings-models");
  const select = screen.getByTestId("helper-summaryModel");
  const [, other] = [...(select as HTMLSelectElement).options].map(({ value }) => value);
  fill("helper-summaryModel", other ?? "");
  fill("helper-sideModel", "");
  expect(sent).toEqual([{ name: "saveSettings", params: { change: { summaryModel: other } } }, { name: "saveSettings", params: { change: { sideModel: null } } }]);
});

test("a rule by hand says exactly what was filled in, and is previewed before it is made", async () => {
  vi.useFakeTimers();
  const sent = await open("settings-rule-new");
  fill("rule-tool", "exec_run");
  fill("rule-command", "node_test");
  fill("rule-args", "--test  **");
  await press("rule-effect-allow");
  await act(async () => vi.advanceTimersByTime(400));
  const target = { tool: "exec_run", command: "node_test", args: ["--test", "**"] };
  expect(sent).toEqual([{ name: "previewRule", params: { session: "01A", target, effect: "allow" } }]);
  await submit("rule-form");
  expect(sent.find(({ name }) => name === "addRule")).toEqual({ name: "addRule", params: { session: null, rule: { effect: "allow", scope: "always", target } } });
});

test("a rule that is changed comes with its words, quotes and all, and goes back as another", async () => {
  const sent = await open("settings-rule-change");
  expect((screen.getByTestId("rule-args") as HTMLInputElement).value).toBe("--test **");
  fill("rule-args", "--test 'my file.js'");
  await submit("rule-form");
  const target = { tool: "exec_run", command: "node_test", args: ["--test", "my file.js"], workspace: "app" };
  expect(sent.find(({ name }) => name === "changeRule")).toEqual({ name: "changeRule", params: { session: "01A", rule: "r1", to: { effect: "allow", scope: "workspace", target } } });
});

test.each([["", []], [" ** ", undefined]])("of a changed rule the arguments %j are %j", async (typed, args) => {
  const sent = await open("settings-rule-change");
  fill("rule-args", typed);
  await submit("rule-form");
  const target = { tool: "exec_run", command: "node_test", workspace: "app", ...(args === undefined ? {} : { args }) };
  expect(sent.find(({ name }) => name === "changeRule")?.params).toStrictEqual({ session: "01A", rule: "r1", to: { effect: "allow", scope: "workspace", target } });
});

test("arguments with an open quote are not sent", async () => {
  const sent = await open("settings-rule-change");
  fill("rule-args", "'my file");
  await submit("rule-form");
  expect(sent.filter(({ name }) => name === "changeRule")).toEqual([]);
});

test("a rule that cannot be one is not sent", async () => {
  const sent = await open("settings-rule-new");
  fill("rule-tool", "fs_write");
  fill("rule-pattern", "(");
  await submit("rule-form");
  expect(sent.filter(({ name }) => name === "addRule")).toEqual([]);
});

test("the calls that a rule would have matched are named in the reader's language, and nothing hides in them", async () => {
  vi.useFakeTimers();
  const scene = allScenes["settings-rule-change"];
  if (!scene) throw new Error("no scene");
  location.hash = scene.place ?? "";
  const matched = { alsoMatches: [{ call: "c", summary: "Delete a\u202eb.txt (12000 bytes)" }] };
  render(<Panel client={fakeClient({ ...scene, answers: { ...scene.answers, previewRule: matched } })} />);
  await act(() => vi.advanceTimersByTimeAsync(0));
  await act(() => vi.advanceTimersByTimeAsync(500));
  expect(screen.getByTestId("rule-preview").textContent).toContain("Delete aU+202Eb.txt (12,000 bytes)");
});

test("revoking asks once more, and looking away takes the question back", async () => {
  vi.useFakeTimers();
  const sent = await open("settings-rules");
  await press("rule-revoke");
  fireEvent.blur(screen.getAllByTestId("rule-revoke")[0] as HTMLElement);
  await press("rule-revoke");
  // A double click is one press.
  await press("rule-revoke");
  expect(sent).toEqual([]);
  await act(() => vi.advanceTimersByTimeAsync(DOUBLE_CLICK_MS));
  await press("rule-revoke");
  expect(sent[0]).toEqual({ name: "revokeRule", params: { session: "01A", rule: "r1" } });
});

test("everything is deleted from a sheet of its own, which a double click only opens", async () => {
  vi.useFakeTimers();
  const sent = await open("settings-data");
  await press("erase-all");
  await press("erase-all");
  expect(screen.getByTestId("erase-sheet").textContent).toContain("Models and their keys");
  await press("erase-all-now");
  expect(sent.filter(({ name }) => name === "deleteAll")).toEqual([]);
  await act(() => vi.advanceTimersByTimeAsync(DOUBLE_CLICK_MS));
  await press("erase-all-now");
  expect(sent).toContainEqual({ name: "deleteAll", params: { everything: true } });
});

test("a folder in which strangers wrote is marked as one, and nothing else of the settings is sent", async () => {
  const sent = await open("settings-workspaces");
  await press("workspace-strangers");
  expect(sent[0]).toEqual({ name: "saveSettings", params: { change: { strangerWorkspaces: ["app"] } } });
});

test("a lease is for the ticked tiers and the given time alone", async () => {
  const sent = await open("settings-lease-new");
  await press("lease-add");
  fill("lease-minutes", "5");
  await submit("lease-form");
  expect(sent).toEqual([{ name: "grantLease", params: { session: "01A", lease: { tiers: ["batch"], minutes: 5, calls: null, costUsd: null } } }]);
});

test("a schedule can be paused, and one whose time never comes cannot be saved", async () => {
  const sent = await open("settings-schedules");
  await press("schedule-switch");
  expect(sent[0]).toEqual({ name: "enableSchedule", params: { schedule: "s1", enabled: false } });
  cleanup();
  const later = await open("settings-schedule");
  fill("schedule-cron", "61 25 * * *");
  await submit("schedule-form");
  expect(later.filter(({ name }) => name === "saveSchedule")).toEqual([]);
  fill("schedule-cron", "0 8 * * *");
  await submit("schedule-form");
  expect(later.find(({ name }) => name === "saveSchedule")?.params).toMatchObject({ id: "s1", timing: { kind: "cron", line: "0 8 * * *" } });
});

test("what goes on around a step is ticked, and what the form was not asked to change stays", async () => {
  const saved = async (...pressed: string[]) => {
    cleanup();
    const sent = await open("settings-profile-hooks");
    expect([screen.getByTestId<HTMLInputElement>("hook-date").checked, screen.getByTestId<HTMLInputElement>("hook-verify_changes").checked]).toEqual([false, true]);
    for (const box of pressed) await press(box);
    await submit("profile-form");
    const params = sent.find(({ name }) => name === "saveProfile")?.params as { profile: { hooks?: string[] } } | undefined;
    expect(params).toBeDefined();
    return params?.profile.hooks;
  };
  expect(await saved()).toEqual(["verify_changes"]);
  expect(await saved("hook-verify_changes")).toEqual([]);
  expect(await saved("hook-verify_changes", "hook-date")).toBeUndefined();
});

test("a profile holds what was filled in and nothing more", async () => {
  const sent = await open("settings-profile");
  fill("profile-instructions", "");
  fill("profile-tools", "fs_read,  git_diff");
  await submit("profile-form");
  expect(sent[0]).toEqual({ name: "saveProfile", params: { profile: { id: "docs", name: "Documentation in plain words", mode: "accept_edits", model: "m1", thinking: "low", tools: ["fs_read", "git_diff"], limits: { steps: 30 } } } });
});

test("a passphrase is taken only when it was written twice the same, and is long enough", async () => {
  const sent = await open("settings-passphrase");
  await press("passphrase-set");
  for (const [first, second] of [["short", "short"], ["long enough", "long enoughh"]] as const) {
    fill("passphrase", first);
    fill("passphrase-again", second);
    expect(screen.getByTestId<HTMLButtonElement>("passphrase-do").disabled).toBe(true);
  }
  fill("passphrase-again", "long enough");
  await press("passphrase-do");
  expect(sent).toEqual([{ name: "setPassphrase", params: { passphrase: "long enough" } }]);
});

test("a form that unfolds in a section takes the focus, and gives it back where it was unfolded", async () => {
  const at = () => (document.activeElement as HTMLElement | null)?.dataset["testid"];
  for (const [scene, opener, first, cancel] of [["settings-passphrase", "passphrase-set", "passphrase", "passphrase-cancel"], ["settings-lease-new", "lease-add", "lease-batch", "lease-cancel"]] as const) {
    await open(scene);
    screen.getByTestId(opener).focus();
    await press(opener);
    expect(at()).toBe(first);
    screen.getByTestId(cancel).focus();
    await press(cancel);
    await waitFor(() => expect(at()).toBe(opener));
    cleanup();
  }
});

test("a server elsewhere is not asked without encryption", async () => {
  await open("settings-model-new");
  fill("server-model", "m");
  for (const [address, isUsable] of [["http://example.org/v1", false], ["http://127.0.0.1:11434/v1", true], ["https://example.org/v1", true], ["no address", false]] as const) {
    fill("server-url", address);
    expect(screen.getByTestId<HTMLButtonElement>("server-save").disabled, address).toBe(!isUsable);
  }
});

test("a file that changed since is told, and the rest is done only when the person says so", async () => {
  const sent = await open("changes-conflict");
  await press("turn-take-back");
  expect(screen.getByTestId("conflict-sheet").textContent).toContain("src/sum.js");
  expect(screen.getByTestId<HTMLButtonElement>("conflict-go").disabled, "nothing is chosen for the person").toBe(true);
  await press("undo-skip");
  await press("conflict-go");
  await press("undo-overwrite");
  await press("conflict-go");
  const undone = sent.filter(({ name }) => name === "undoTurn").map(({ params }) => params as { skipConflicts: boolean; overwrite?: boolean });
  expect(undone.map(({ skipConflicts, overwrite = false }) => [skipConflicts, overwrite])).toEqual([[false, false], [true, false], [true, true]]);
});

test("a deleted session comes back from its receipt", async () => {
  const sent = await open("history");
  fireEvent.click(screen.getAllByTestId("session-more")[0] as HTMLElement);
  await act(async () => fireEvent.click(await screen.findByTestId("session-delete")));
  expect(sent.at(-1)).toEqual({ name: "deleteSession", params: { session: "01A" } });
  const receipt = await screen.findByTestId("receipt");
  await act(async () => fireEvent.click(receipt.querySelector("button") as HTMLElement));
  expect(sent.at(-1)).toEqual({ name: "restoreSession", params: { session: "01A" } });
});

test("the way back leads a step at a time: from a form to its list, to the settings, to the chat", async () => {
  await open("settings-model-edit");
  for (const expected of ["settings-models", "settings"]) {
    await press("back");
    expect(screen.getByTestId(expected)).toBeTruthy();
  }
  await press("back");
  expect(screen.getByTestId("composer-input")).toBeTruthy();
});

test("Escape and Alt lead between screens, but not out of a field that is written in", async () => {
  await open("settings-model-edit");
  fireEvent.keyDown(screen.getByTestId("server-model"), { key: "Escape" });
  expect(screen.getByTestId("add-server")).toBeTruthy();
  await act(async () => fireEvent.keyDown(document.body, { key: "h", code: "KeyH", altKey: true }));
  expect(screen.getByTestId("history")).toBeTruthy();
  await act(async () => fireEvent.keyDown(document.body, { key: "?" }));
  expect(screen.getByTestId("keys-sheet")).toBeTruthy();
});

test("on a Mac Option writes a letter, and Control with Option leads elsewhere; over an open sheet neither does", async () => {
  await open("answer");
  const agent = vi.spyOn(navigator, "userAgent", "get").mockReturnValue("Mozilla/5.0 (Macintosh; Intel Mac OS X 14_0)");
  const type = async (more: Partial<KeyboardEvent>) => act(async () => fireEvent.keyDown(screen.getByTestId("composer-input"), { key: "~", code: "KeyH", altKey: true, ...more }));
  expect(await type({})).toBe(true);
  expect(screen.queryByTestId("history")).toBeNull();
  await act(async () => fireEvent.keyDown(document.body, { key: "?" }));
  await act(async () => fireEvent.keyDown(document.body, { key: "h", code: "KeyH", altKey: true, ctrlKey: true }));
  expect(screen.queryByTestId("history")).toBeNull();
  await act(async () => fireEvent.keyDown(screen.getByTestId("keys-sheet"), { key: "Escape" }));
  await type({ ctrlKey: true });
  expect(screen.getByTestId("history")).toBeTruthy();
  agent.mockRestore();
});

test("a search asks for what fits the filter, says that there is more, and why it could not be made", async () => {
  const [hit] = summaries;
  if (!hit) throw new Error("no session");
  const look = async (answers: Scene["answers"], refuses = false) => {
    const sent: SentIntent[] = [];
    const scene = allScenes["history-filter"] as Scene;
    location.hash = scene.place ?? "";
    await act(async () => render(<Panel client={fakeClient({ ...scene, answers: { ...scene.answers, ...answers } }, sent, refuses)} />));
    await press("session-filter");
    await press("filter-pinned");
    fill("session-search", "sum");
    await eventually(async () => {
      await act(async () => new Promise((resolve) => setTimeout(resolve, 20)));
      screen.getByTestId(refuses ? "search-fault" : "search-more");
    });
    return sent;
  };
  const sent = await look({ searchSessions: { hits: [{ session: { ...hit, pinned: true }, matches: [] }], more: true } });
  expect(sent.at(-1)).toEqual({ name: "searchSessions", params: { text: "sum", pinned: true } });
  expect(screen.getByTestId("search-more")).toBeTruthy();
  cleanup();
  await look({}, true);
  expect(screen.getByTestId("search-fault").textContent).toContain("would not");
});

test("where one file of a turn was put back, it alone says so and can be changed again", async () => {
  const sent = await open("changes-partly");
  expect(screen.getAllByTestId("changed-file").map((file) => [file.dataset["path"], file.dataset["undone"]])).toEqual([["test/fixtures/a-rather-long-name-of-a-fixture.bin", "false"], ["src/sum.js", "true"]]);
  expect(screen.getAllByTestId("changed-file")[1]?.textContent).toContain("taken back");
  await press("file-bring-back");
  await press("file-take-back");
  expect(sent.filter(({ name }) => name.endsWith("Turn")).map(({ name, params }) => [name, (params as { paths: string[] }).paths])).toEqual([["redoTurn", ["src/sum.js"]], ["undoTurn", ["test/fixtures/a-rather-long-name-of-a-fixture.bin"]]]);
});

test("what changed is asked for once when the screen opens", async () => {
  const scene = allScenes["changes"];
  if (!scene) throw new Error("no scene");
  const sent: SentIntent[] = [];
  location.hash = scene.place ?? "";
  await act(async () => render(<Panel client={fakeClient(scene, sent)} />));
  expect(sent.filter(({ name }) => name === "listChanges")).toHaveLength(1);
});

test("after files were put back, no button counts before it is known what it would do now", async () => {
  const scene = allScenes["changes"];
  if (!scene) throw new Error("no scene");
  location.hash = scene.place ?? "";
  const client = fakeClient(scene);
  let isKnown = () => {};
  let isDone = false;
  const send: typeof client.send = (name, params) => {
    if (name === "undoTurn") {
      isDone = true;
      return Promise.resolve({ state: "done", files: [] } as never);
    }
    const answer = client.send(name, params);
    return name === "listChanges" && isDone ? new Promise((resolve) => (isKnown = () => resolve(answer))) : answer;
  };
  render(<Panel client={{ ...client, send }} />);
  await act(async () => {});
  const buttons = () => ["turn-take-back", "file-take-back"].flatMap((testId) => screen.getAllByTestId<HTMLButtonElement>(testId).map(({ disabled }) => disabled));
  const count = buttons().length;
  expect(new Set(buttons())).toEqual(new Set([false]));
  await press("turn-take-back");
  expect([buttons().length, new Set(buttons())]).toEqual([count, new Set([true])]);
  await act(async () => isKnown());
  expect([buttons().length, new Set(buttons())]).toEqual([count, new Set([false])]);
});

test("what was deleted a moment ago stands in the history until its time is over, and is brought back from there", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const sent = await open("history-deleted");
  await press("deleted-open");
  expect(screen.getAllByTestId("deleted-row")).toHaveLength(2);
  await press("deleted-back");
  expect(sent).toEqual([{ name: "restoreSession", params: { session: "01X" } }]);
  await act(() => vi.advanceTimersByTimeAsync(4 * 60_000));
  expect(screen.getAllByTestId("deleted-row").map(({ dataset }) => dataset["session"])).toEqual(["01X"]);
  await act(() => vi.advanceTimersByTimeAsync(6 * 60_000));
  expect(screen.queryByTestId("deleted-sessions")).toBeNull();
});

test("the days say what came from the cache and what was written to it", async () => {
  await open("settings-usage");
  expect(screen.getByTestId("usage-table").textContent).toContain("12 requests · 90k from cache · 6.2k to cache");
  expect(screen.getByTestId("usage-table").querySelector("tfoot")?.textContent, "what is not known is in no sum").toContain("≥ $1.61");
});

test("of hundreds of sessions those are drawn that one comes to", async () => {
  const scene = allScenes["history"] as Scene;
  const [first] = scene.app.sessions;
  if (!first) throw new Error("no session");
  location.hash = scene.place ?? "";
  await act(async () => render(<Panel client={fakeClient({ ...scene, app: { ...scene.app, sessions: Array.from({ length: 300 }, (_, place) => ({ ...first, id: `many-${place}` })) } })} />));
  const rows = () => screen.getAllByTestId("session-row");
  expect(rows()).toHaveLength(60);
  fireEvent.scroll(rows()[0]?.parentElement as HTMLElement);
  expect(rows()).toHaveLength(120);
});

test("folders that were made for a file are not counted and not listed beside it", async () => {
  const scene = allScenes["changes"] as Scene;
  const [turn] = scene.answers?.listChanges?.turns ?? [];
  const [file] = turn?.files ?? [];
  if (!turn || !file) throw new Error("no file");
  const made = (path: string, folder: boolean) => ({ ...file, path, op: "create", folder });
  location.hash = scene.place ?? "";
  const files = [made("a", true), made("a/b", true), made("a/b/c.ts", false), made("empty", true)];
  await act(async () => render(<Panel client={fakeClient({ ...scene, answers: { ...scene.answers, listChanges: { turns: [{ ...turn, files }] } } })} />));
  expect(screen.getAllByTestId("changed-file").map(({ dataset }) => dataset["path"])).toEqual(["a/b/c.ts", "empty"]);
  expect(screen.getByTestId("turn-changes").textContent).toContain("2 files");
});
