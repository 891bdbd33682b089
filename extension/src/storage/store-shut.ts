/** The browser has shut the store, as Chromium does when it could not write to it. What was stored before is still there. */
export class StoreShut extends Error {
  override readonly name = "StoreShut";
  constructor(
    /** There is no room on the disk. */
    readonly isFull: boolean,
    cause?: unknown,
  ) {
    super(`the browser has shut the store${isFull ? ": the disk is full" : ""}`, { cause });
  }
}
