// The session log as it stands in IndexedDB, read from one of the extension's own pages, and the promises it must keep.

/** All events, oldest first by session and sequence. */
export async function readLog(page) {
  return page.evaluate(
    () =>
      new Promise((resolve, reject) => {
        const opening = indexedDB.open("outrigger");
        opening.addEventListener("error", () => reject(opening.error));
        opening.addEventListener("success", () => {
          const database = opening.result;
          const reading = database.transaction("events").objectStore("events").getAll();
          reading.addEventListener("error", () => reject(reading.error));
          reading.addEventListener("success", () => {
            database.close();
            resolve(reading.result);
          });
        });
      }),
  );
}

export function eventsOf(log, type) {
  return log.map((stored) => stored.event).filter((event) => event.type === type);
}

/** Whatever is wrong with the log, in words; nothing where it keeps its promises. */
export function explainLogFaults(log) {
  const faults = [];
  for (const session of new Set(log.map((entry) => entry.session))) {
    const stored = log.filter((entry) => entry.session === session);
    const gap = stored.findIndex((entry, index) => entry.seq !== index + 1);
    if (gap !== -1) faults.push(`session ${session}: event ${gap + 1} has the number ${stored[gap].seq}`);
    faults.push(...explainCallFaults(session, stored.map((entry) => entry.event)));
  }
  return faults;
}

/** Every call of a whole step has exactly one result, after it was made; a call of a cut step has none. */
function explainCallFaults(session, events) {
  const faults = [];
  const sealed = new Set(events.flatMap((event) => (event.type === "AssistantDone" ? [event.step] : [])));
  const requested = new Map();
  const results = new Map();
  for (const event of events) {
    if (event.type === "ToolRequested") requested.set(event.call, event);
    if (event.type !== "ToolResult") continue;
    if (!requested.has(event.call)) faults.push(`session ${session}: a result of ${event.call} comes before its call`);
    results.set(event.call, (results.get(event.call) ?? 0) + 1);
  }
  for (const [call, { tool, step }] of requested) {
    const count = results.get(call) ?? 0;
    const due = sealed.has(step) ? 1 : 0;
    if (count !== due) faults.push(`session ${session}: call ${call} of ${tool} has ${count} results instead of ${due}`);
  }
  const open = events.filter((event) => event.type === "TurnStart").length - events.filter((event) => event.type === "TurnEnd").length;
  if (open > 0) faults.push(`session ${session}: ${open} turns have no end`);
  return faults;
}
