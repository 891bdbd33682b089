// Numbers of the loop, and the reason of each.

/** Long enough for real work, short enough that a loop is noticed before it costs much. */
export const STEP_CAP = 50;

/** An hour at work without a word to the person is longer than anyone meant. */
export const MINUTES_CAP = 60;

/** A share of a cap after which the panel says that it comes near. */
export const CAP_WARNING = 0.8;

/** Steps in a row that brought nothing that was not known before. Waiting for a slow job takes a few. */
export const IDLE_STEPS = 5;

/** Once is chance, twice is a retry, three times is a loop. */
export const SAME_FAILURES = 3;

/** What was begun costs again: by itself no more than twice. */
export const BILLED_RETRIES = 2;

/** A refused request costs nothing; a rate limit passes within these. */
export const FREE_RETRIES = 6;

/** Interruptions in a row without anything done between them. */
export const MAX_RECOVERIES = 2;

/** A turn found in flight after this long is not gone on with behind a person's back. */
export const STALE_TURN_MS = 30 * 60_000;

/** Deltas are written together this often: smooth to the eye, and 15 transactions a second at most. */
export const DELTA_MS = 66;

/** How long a call waits for a lost host before its turn fails (with Retry). Covers a restart with back-off. */
export const HOST_WAIT_MS = 30_000;

/** So long a host surely remembers a call. One that it does not know later may be one that it has forgotten. */
export const HOST_MEMORY_MS = 12 * 60 * 60_000;

/** How long Stop waits for a call to settle before it is called unknown. */
export const STOP_WAIT_MS = 10_000;

export const RETRY_FIRST_MS = 1_000;
export const RETRY_LAST_MS = 60_000;

/** A server that asks for more is not waited for: a limit of a day is a person's business, and no timer of a browser counts so far. */
export const LONGEST_RETRY_AFTER_MS = 60 * 60_000;

/** The longest a model may say nothing. One on a slow machine reads a long prompt for minutes; after this nobody believes in it. */
export const MODEL_SILENCE_MS = 10 * 60_000;

/** A request that runs so long may be ended by the time cap; a shorter one is let end by itself, as it would have to be paid again. */
export const DRIP_MS = 10 * 60_000;

/** A day: longer is no limit, and no timer of a browser counts so far. */
export const LONGEST_TIMEOUT_MS = 24 * 60 * 60_000;

/** How long the background is kept awake for an unanswered card. After that the card is rebuilt from the log. */
export const APPROVAL_HOLD_MS = 10 * 60_000;

/** Live output of one call that is kept in the log; the result and the host's handle have the rest. */
export const OUTPUT_KEPT = 1_048_576;

/** Behind that: of ten seconds the last of what came. A command that writes for a day adds 17 MB at most, and never looks dead. */
export const LATE_OUTPUT = 2_048;
export const LATE_OUTPUT_MS = 10_000;

/** Shares of a model's window: from the first the meter warns, from the second room is made. */
export const CONTEXT_WARNING = 0.7;
export const CONTEXT_FULL = 0.85;

/** A compaction that saves less did not help; two in a row, and a person decides. */
export const COMPACTION_SAVES = 0.15;
export const COMPACTIONS_IN_VAIN = 2;

/** What stays word for word after a compaction, as a share of the window; where that is not known, so many tokens. */
export const KEPT_SHARE = 0.25;
export const KEPT_TOKENS = 20_000;

/** An old output that is shorter stays: its stub would not be much smaller. */
export const DECAY_CHARACTERS = 2_000;

/** One output in a prompt: the host sends no more than 64 KiB, other sources may. Of a known window, half: two characters for each token. */
export const RESULT_CHARACTERS = 262_144;
export const RESULT_CHARACTERS_A_TOKEN = 2;
export const RESULT_CHARACTERS_LEAST = 32_768;

/** So many turns, or steps of one turn, an output is shown in full. Steps decay in blocks, so that a provider's cache mostly holds. */
export const LIFETIME_TURNS = 3;
export const LIFETIME_STEPS = 24;
export const DECAY_BLOCK = 8;
