// Makes Chromium begin a new log file for our IndexedDB, before anything is written after a start of the browser.
//
// Chromium keeps an origin's IndexedDB in one LevelDB and goes on with the log file of the run before (`reuse_logs`). A browser that
// was killed between the two writes of a record leaves the head of a record at the end of that file. It is passed over at the next
// start, but what is written then stands behind it, and at the start after that the torn head swallows it: the checksum is wrong,
// and Chromium deletes everything the origin had stored. (google/leveldb#1287; seen here in 3 of 120 kills.)
// LevelDB's list of its files (`MANIFEST`) can be torn in the same way, and nothing here makes it begin anew. It is written some times
// a start instead of with each event, so that no kill was seen to hit it; where one does, the loss is told (`witness.ts`).
// Deleting a database makes LevelDB write its memory out to a table and begin another log, so that the torn one is gone.
const SPARE = "outrigger-spare";

/** Resolves when the spare database came and went. */
export async function beginFreshLog(factory: IDBFactory): Promise<void> {
  const spare = await done(factory.open(SPARE, 1));
  spare.close();
  await done(factory.deleteDatabase(SPARE));
}

function done<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("the database request failed")));
  });
}
