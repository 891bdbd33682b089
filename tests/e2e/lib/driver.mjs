// Talks to the engine over the panel's own port, from one of the extension's pages: for tests that are about the engine alone.
import { waitUntil } from "./wait.mjs";

export class Driver {
  constructor(page) {
    this.page = page;
  }

  /** `page` is any page of the extension. A lost port is opened again, as the panel does. */
  static async attach(page) {
    await page.evaluate(() => {
      const waiting = new Map();
      let port = null;
      let next = 1;
      const open = () => {
        port = (globalThis.chrome ?? globalThis.browser).runtime.connect({ name: "outrigger.panel.v1" });
        port.onMessage.addListener((message) => {
          if (message.kind === "app") {
            globalThis.outriggerFault = message.view.storageFault ?? null; globalThis.outriggerLoss = message.view.storageLoss ?? null;
            globalThis.outriggerState = { memoryOnly: message.view.memoryOnly, sessions: message.view.sessions.length, models: message.view.models.length };
          }
          const waiter = waiting.get(message.id);
          if (waiter === undefined) return;
          waiting.delete(message.id);
          if (message.kind === "answer") waiter.resolve({ result: message.result });
          if (message.kind === "refused") waiter.resolve({ fault: message.fault });
        });
        port.onDisconnect.addListener(() => {
          for (const waiter of waiting.values()) waiter.resolve({ fault: { code: "engine_restarted", message: "the engine died" } });
          waiting.clear();
          setTimeout(open, 100);
        });
      };
      open();
      globalThis.outriggerSend = (name, params) =>
        new Promise((resolve) => {
          const id = (next += 1);
          waiting.set(id, { resolve });
          port.postMessage({ kind: "intent", id, name, params });
        });
    });
    return new Driver(page);
  }

  /** The answer, or `{fault}`. */
  async send(name, params) {
    const answer = await this.page.evaluate((intent, values) => globalThis.outriggerSend(intent, values), name, params);
    return answer.fault === undefined ? answer.result : { fault: answer.fault };
  }

  /** What the engine last said of itself. */
  async state() {
    return this.page.evaluate(() => globalThis.outriggerState ?? null);
  }

  /** The events of all sessions, or of one. */
  async log(session = null) {
    return this.page.evaluate(
      (wanted) =>
        new Promise((resolve, reject) => {
          const opening = indexedDB.open("outrigger");
          opening.addEventListener("error", () => reject(opening.error));
          opening.addEventListener("success", () => {
            const database = opening.result;
            if (!database.objectStoreNames.contains("events")) return database.close(), resolve([]);
            const reading = database.transaction("events").objectStore("events").getAll();
            reading.addEventListener("error", () => reject(reading.error));
            reading.addEventListener("success", () => {
              database.close();
              resolve(wanted === null ? reading.result : reading.result.filter((entry) => entry.session === wanted));
            });
          });
        }),
      session,
    );
  }

  /** Allows every card until the session's last turn is over; gives its log. `each` may answer other things that wait. */
  async finish(session, { timeoutMs = 60_000, each = async () => {} } = {}) {
    let said = null;
    return waitUntil(
      "the end of the turn",
      async () => {
        const log = await this.log(session);
        const events = log.map((entry) => entry.event);
        await each(this, log);
        said = await this.send("answerApproval", { session, answers: openCards(events) });
        return events.findLastIndex((event) => event.type === "TurnEnd") > events.findLastIndex((event) => event.type === "TurnStart" || event.type === "UserMessage") ? log : null;
      },
      { timeoutMs, everyMs: 60, describe: async () => `the engine said ${JSON.stringify(said)}, ${JSON.stringify(await this.page.evaluate(() => globalThis.outriggerFault))}, after ${JSON.stringify((await this.log()).toSorted((left, right) => left.at - right.at).slice(-8).map((entry) => [entry.session.slice(-4), entry.seq, new Date(entry.at).toISOString().slice(14, 23), entry.event.type]))}` },
    );
  }
}

/** The cards that wait, answered with yes. */
export function openCards(events) {
  const open = new Map();
  for (const event of events) {
    if (event.type === "ApprovalAsked") open.set(event.call, { call: event.call, plan: event.plan.id, digest: event.plan.digest, decision: "allow" });
    if (event.type === "ApprovalAnswered" || event.type === "ToolResult") open.delete(event.call);
  }
  return [...open.values()];
}
