// What each intent of the panel does. Everything else a panel could say is refused.
import { HOOKS } from "../agent/hooks/catalog.ts";
import type { Connection } from "../host/connection.ts";
import type { HostClient } from "../host/host-client.ts";
import type { Engine } from "./engine.ts";
import { SHIPPED_FACTS } from "../llm/model-facts.ts";
import type { Traces } from "./traces.ts";
import type { SessionRow, UsageRow } from "../storage/storage.ts";
import type { Disk } from "./disk.ts";
import type { Errands } from "./errands.ts";
import type { Pages } from "./pages.ts";
import type { SettingsBook } from "./settings.ts";
import type { KeyVault } from "./key-vault.ts";
import type { ChildView, Receipt } from "./views.ts";
import type { Models } from "./models.ts";
import { readLimits } from "./read-limits.ts";
import type { IntentHandlers } from "./panel-server.ts";

export interface IntentParts {
  readonly engine: Engine;
  readonly models: Models;
  readonly connection: Connection<HostClient>;
  readonly traces: Traces;
  readonly vault: KeyVault;
  /** Requests to these servers, and to those of the stored models, do not carry our origin. */
  readonly hideOrigin: (from: readonly string[]) => Promise<void>;
  readonly refresh: () => Promise<void>;
  readonly refreshApp: () => Promise<void>;
  readonly refreshWorkspaces: () => Promise<void>;
  readonly gone: (session: string) => void;
  /** A deletion was taken back. */
  readonly back: (session: string) => void;
  readonly lossNoted: () => Promise<void>;
  readonly settings: SettingsBook;
  readonly disk: Disk;
  readonly errands: Errands;
  readonly pages: Pages;
  /** Its words, or the profiles in it, may be others now. */
  readonly menu: () => Promise<void>;
  /** Of so many days, newest first. */
  readonly usage: (days: number) => Promise<readonly UsageRow[]>;
}

const USAGE_DAYS = 30;

export function intentHandlers(parts: IntentParts): IntentHandlers {
  const { engine, models, connection, vault } = parts;
  const refreshed = async (receipt: Receipt): Promise<Receipt> => {
    await parts.refreshApp();
    return receipt;
  };
  return {
    startSession: async ({ text, config, attachments }) => ({ session: await engine.startSession(text, config, attachments) }),
    sendMessage: async ({ session, text, attachments }) => (await engine.sendMessage(session, text, attachments), null),
    addAttachment: async ({ session, draft }) => ({ attachment: await engine.attach(session, draft) }),
    readAttachment: async ({ attachment }) => engine.attachments.read(attachment),
    removeAttachment: async ({ attachment }) => (await engine.attachments.remove(attachment), null),
    readDraft: async ({ session }) => engine.drafts.read(session),
    keepDraft: async ({ session, text, attachments }) => (await engine.drafts.keep(session, { text, attachments }), null),
    readCards: async ({ session }) => ({ cards: engine.drafts.readCards(session) }),
    keepCards: async ({ session, cards }) => (await engine.drafts.keepCards(session, cards), null),
    capturePage: async ({ what }) => ({ draft: await parts.pages.capture(what) }),
    takeIncoming: async ({ ask }) => ({ taken: parts.pages.take(ask) }),
    queueAdd: async ({ session, text, kind, attachments }) => ({ item: await engine.queue.add(session, text, kind, attachments) }),
    queueEdit: async ({ session, item, ...change }) => (await engine.queue.edit(session, item, change), null),
    queueMove: async ({ session, item, before }) => (await engine.queue.move(session, item, before), null),
    queueRemove: async ({ session, item }) => (await engine.queue.remove(session, item), null),
    queueSend: async ({ session }) => (await engine.queue.send(session), null),
    setLimits: async ({ session, limits }) => (await engine.configure(session, { limits: readLimits(limits) }), await parts.refreshApp(), null),
    stop: async ({ session }) => (await engine.stop(session), null),
    answerApproval: async ({ session, answers, lease }) => engine.answers.approval(session, answers, lease),
    editArgs: async ({ session, call, plan, argsText }) => (await engine.answers.editArgs(session, call, plan, argsText), null),
    proposeRules: async ({ session, call }) => ({ proposals: await engine.grants.proposals(session, call) }),
    previewRule: async ({ session, target, effect }) => ({ alsoMatches: await engine.grants.preview(session, target, effect) }),
    listRules: async ({ session }) => ({ rules: await engine.grants.rules(session) }),
    addRule: async ({ session, rule }) => engine.grants.addRule(session, rule),
    changeRule: async ({ session, rule, to }) => engine.grants.changeRule(session, rule, to),
    revokeRule: async ({ session, rule }) => engine.grants.revokeRule(session, rule),
    grantLease: async ({ session, lease }) => engine.grants.grantLease(session, lease),
    revokeLease: async ({ session, lease }) => engine.grants.revokeLease(session, lease),
    forkBranch: async ({ session, from, text }) => ({ branch: await engine.branches.fork(session, from, text) }),
    editMessage: async ({ session, turn, text }) => ({ branch: await engine.branches.edit(session, turn, text) }),
    selectBranch: async ({ session, branch }) => (await engine.branches.select(session, branch), null),
    undoTurn: async ({ session, turn, what, dryRun = false, skipConflicts = false, overwrite = false, paths }) => engine.branches.undo(session, turn, what, { dryRun, skipConflicts, overwrite, ...(paths === undefined ? {} : { paths }) }),
    bringBackReplaced: async ({ session, turn, dryRun = false, skipConflicts = false, overwrite = false, paths }) => engine.branches.bringBack(session, turn, { dryRun, skipConflicts, overwrite, ...(paths === undefined ? {} : { paths }) }),
    redoTurn: async ({ session, turn, what, dryRun = false, skipConflicts = false, overwrite = false, paths }) => engine.branches.redo(session, turn, what, { dryRun, skipConflicts, overwrite, ...(paths === undefined ? {} : { paths }) }),
    retryTurn: async ({ session, turn }) => (await engine.retryTurn(session, turn), null),
    deleteTurn: async ({ session, turn }) => ({ before: await engine.branches.remove(session, turn), receipt: { message: "The turn was left out of the conversation. The branch before it still has it." } }),
    copyTurn: async ({ session, turn }) => ({ markdown: await engine.transfer.copy(session, turn) }),
    listChanges: async ({ session, turn }) => ({ turns: await engine.changes.list(session, turn) }),
    listJobs: async ({ since }) => ({ jobs: await engine.changes.jobs(since) }),
    killCommand: async ({ session, call }) => engine.changes.kill(session, call),
    answerQuestion: async ({ session, call, answer }) => (await engine.answers.question(session, call, answer), null),
    cancelQuestion: async ({ session, call }) => (await engine.answers.cancel(session, call), null),
    startSide: async ({ session, text }) => ({ session: await engine.children.side(session, text) }),
    forkSession: async ({ session }) => ({ session: await engine.children.fork(session) }),
    listChildren: async ({ session }) => ({ children: (await engine.children.of(session)).flatMap(childView) }),
    listSchedules: async () => ({ schedules: engine.schedules.list() }),
    saveSchedule: async (schedule) => (await engine.schedules.save(schedule), null),
    enableSchedule: async ({ schedule, enabled }) => (await engine.schedules.enable(schedule, enabled), null),
    removeSchedule: async ({ schedule }) => (await engine.schedules.remove(schedule), { message: "The schedule was removed. What it did stays." }),
    compact: async ({ session }) => (await engine.compact(session), null),
    undoCompaction: async ({ session, compaction }) => (await engine.undoCompaction(session, compaction), null),
    pinTurn: async ({ session, turn, pinned }) => (await engine.pin(session, turn, pinned), null),
    listTraces: async () => ({ traces: parts.traces.list() }),
    listModelFacts: async () => ({ shipped: SHIPPED_FACTS, own: await models.ownFacts() }),
    saveModelFacts: async ({ own }) => (await models.saveFacts(own), null),
    resume: async ({ session }) => {
      if (connection.client === null) connection.retry();
      await engine.resume(session);
      return null;
    },
    selectWorkspace: async ({ session, workspace }) => (await engine.configure(session, { workspace }), await parts.refreshApp(), null),
    selectModel: async ({ session, model }) => (await engine.configure(session, { model }), await parts.refreshApp(), null),
    selectMode: async ({ session, mode }) => (await engine.configure(session, { mode }), await parts.refreshApp(), null),
    saveModel: async (draft) => {
      const saved = await models.save(draft);
      await parts.refresh();
      return saved;
    },
    deleteModel: async ({ model }) => {
      const receipt = await models.remove(model);
      if (engine.defaults.model === model) await engine.configure(null, { model: "demo" });
      await parts.refresh();
      return receipt;
    },
    listProviderModels: async ({ baseUrl, apiKey, model }) => {
      await parts.hideOrigin([baseUrl]);
      return { models: await models.listRemote(baseUrl, apiKey, model) };
    },
    findLocalServers: async () => {
      await parts.hideOrigin(["http://127.0.0.1"]);
      return { servers: await models.findLocal() };
    },
    setPassphrase: async ({ passphrase }) => refreshed(await vault.setPassphrase(String(passphrase))),
    unlockKeys: async ({ passphrase }) => refreshed(await vault.unlock(String(passphrase))),
    lockKeys: async () => refreshed(await vault.lock()),
    removePassphrase: async ({ passphrase }) => refreshed(await vault.removePassphrase(String(passphrase))),
    renameSession: async ({ session, title }) => (await engine.rename(session, title), null),
    deleteSession: async ({ session, forGood = false }) => {
      await engine.deleteSession(session, forGood);
      parts.gone(session);
      return { message: forGood ? "The session was deleted." : "The session was deleted. It can be brought back for ten minutes." };
    },
    restoreSession: async ({ session }) => (await engine.restoreSession(session), parts.back(session), null),
    pinSession: async ({ session, pinned }) => (await engine.pinSession(session, pinned), null),
    tagSession: async ({ session, tags }) => (await engine.tagSession(session, tags), null),
    searchSessions: async (query) => engine.library.search(query),
    deleteAll: async ({ everything }) => {
      const sessions = (await engine.sessions()).map(({ id }) => id);
      await engine.deleteAll(everything === true);
      for (const session of sessions) parts.gone(session);
      await parts.refresh();
      return { message: everything === true ? "Everything was deleted: sessions, models, keys, rules and settings." : `${sessions.length} sessions and all that belonged to them were deleted.` };
    },
    storageUse: () => parts.disk.use(),
    persistStorage: () => parts.disk.persist(),
    noteLoss: async () => (await parts.lossNoted(), await parts.refreshApp(), null),
    cleanNow: async () => refreshed({ message: `${await engine.library.cleanNow()} sessions were deleted.` }),
    listUsage: async ({ days = USAGE_DAYS }) => ({ rows: await parts.usage(days) }),
    saveSettings: async ({ change }) => {
      const settings = await parts.settings.change(change);
      void engine.library.sweep();
      await parts.menu();
      await parts.refreshApp();
      return { settings };
    },
    exportSession: async ({ session }) => ({ json: await engine.transfer.toJson(session) }),
    exportAs: async ({ session, format }) => engine.transfer.as(session, format),
    exportView: async ({ session }) => engine.transfer.view(session),
    exportTraces: async () => ({ name: "outrigger-traces.json", mediaType: "application/json", text: JSON.stringify({ format: "outrigger-traces", version: 1, traces: parts.traces.list() }, null, 2) }),
    importSession: async ({ json }) => engine.transfer.fromJson(json),
    listProfiles: async () => ({ profiles: await engine.profiles.list() }),
    listHooks: async () => ({ hooks: HOOKS.map(({ id, summary, isDefault }) => ({ id, summary, isDefault })) }),
    saveProfile: async ({ profile }) => engine.saveProfile(profile),
    deleteProfile: async ({ profile }) => engine.removeProfile(profile),
    selectProfile: async ({ session, profile }) => (await engine.selectProfile(session, profile), await parts.refreshApp(), null),
    selectThinking: async ({ session, thinking }) => (await engine.configure(session, { thinking: thinking ?? undefined }), await parts.refreshApp(), null),
    inspectPrompt: async ({ session }) => ({ parts: await engine.inspectPrompt(session) }),
    retryConnection: async () => (connection.retry(), null),
    pickWorkspace: async () => {
      const picked = await parts.errands.pick();
      await parts.refreshWorkspaces();
      return picked;
    },
    removeWorkspace: async ({ workspace }) => (await parts.errands.remove(workspace), await parts.refreshWorkspaces(), null),
    runDoctor: async ({ report }) => parts.errands.doctor(report),
    refreshWorkspaces: async () => (await parts.refreshWorkspaces(), null),
  };
}

function childView({ seq: _seq, origin, ...row }: SessionRow): readonly ChildView[] {
  return origin === null || origin === undefined ? [] : [{ ...row, status: row.status as ChildView["status"], kind: origin.kind, by: origin.by }];
}
