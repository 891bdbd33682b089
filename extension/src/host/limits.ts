// Numbers of the link to the host, and the reason of each. `docs/protocol.md` is their source.

/** The protocol versions this extension speaks. */
export const PROTOCOL = { min: 1, max: 1 } as const;

/** The revision of MCP inside; both sides are built together, so nothing older is tried. */
export const MCP_REVISION = "2026-07-28";

/** A browser closes the port at 1 048 576; the rest is room for what wraps a frame. */
export const FRAME_BYTES = 1_000_000;

/** Longer messages are chunked, so that a cancel never waits behind a file. */
export const CHUNK_BYTES = 262_144;

/** What one message may hold after joining; a browser refuses more than 64 MiB the other way. */
export const MESSAGE_BYTES = 67_108_864;

/** Half-sent messages kept at once. */
export const OPEN_GROUPS = 8;

/** A hello takes 10 to 500 ms; a machine that is still starting gets the rest. */
export const HELLO_TIMEOUT_MS = 10_000;

/** A fresh install is noticed without a click, before the person looks up from the terminal. */
export const LOOK_AGAIN_MS = 1_500;

export const BACKOFF_FIRST_MS = 500;
export const BACKOFF_LAST_MS = 30_000;

/** A link that held so long was one: the next try after it comes soon again. */
export const SETTLED_MS = 2_000;

/** Spawned without a hello so often, the next one will not help: stop and explain. */
export const SILENT_SPAWNS = 5;

/** Between two turns the port stays, so that typing on does not start a process each time. */
export const LINGER_MS = 5_000;

/** The host sends progress at least every 5 s while a call runs: six missed ones are a dead call. */
export const CALL_SILENCE_MS = 30_000;

/** The longest a command may be told to run (30 min), and some time to settle. */
export const CALL_TOTAL_MS = 1_860_000;

/** A read that takes longer answers nothing a model still needs. */
export const READ_TOTAL_MS = 120_000;

/** The control plane answers from memory. */
export const CONTROL_TIMEOUT_MS = 10_000;

/** A folder dialog stands open while someone looks for a folder; after half an hour nobody does. */
export const PERSON_TIMEOUT_MS = 1_800_000;

/** The doctor starts the host once for each browser, as that browser would. */
export const DOCTOR_TIMEOUT_MS = 60_000;
