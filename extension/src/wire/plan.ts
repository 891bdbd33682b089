// The plan of a call that needs a person's answer, as the host sends it in `_meta["dev.outrigger/plan"]`.
//
// Field names are the wire's own. A plan is shown and answered; it never enters a prompt.
import { z } from "zod";

export const tierSchema = z.enum(["auto", "batch", "individual"]);
export type Tier = z.infer<typeof tierSchema>;

export const hunkSchema = z.object({
  id: z.string(),
  old_start: z.number(),
  old_lines: z.number(),
  new_start: z.number(),
  new_lines: z.number(),
  /** Each line begins with " ", "-" or "+". */
  lines: z.array(z.string()),
});
export type Hunk = z.infer<typeof hunkSchema>;

/** What becomes of a file's line ends, in the host's words: `lf`, `crlf` or `mixed`. Twice `mixed`: some lines get other ones. */
export const lineEndsSchema = z.object({ before: z.string(), after: z.string() });

const plannedFileSchema = z.object({
  path: z.string(),
  op: z.string(),
  /** Where it comes from, when it gets another name or is copied. */
  from: z.string().nullish(),
  /** Names below it, when it is a folder. */
  entries: z.number().nullish(),
  before_etag: z.string().nullish(),
  after_etag: z.string().nullish(),
  before_bytes: z.number().nullish(),
  after_bytes: z.number().nullish(),
  executable: z.boolean().default(false),
  /** Permissions after, in octal (`0644`); in a commit git's mode, which says what kind of thing it is (`120000`: a symbolic link). */
  mode: z.string().nullish(),
  /** In a commit git's mode before, where another one comes or none. */
  mode_before: z.string().nullish(),
  undoable: z.boolean().default(false),
  added: z.number().default(0),
  removed: z.number().default(0),
  /** Told because the hunks do not show it. */
  line_ends: lineEndsSchema.nullish(),
  hunks: z.array(hunkSchema).default([]),
});
export type PlannedFile = z.infer<typeof plannedFileSchema>;

export const previewSchema = z.discriminatedUnion("kind", [
  /** Made by the engine itself, for a call that the host does not ask about: its whole arguments. */
  z.object({ kind: z.literal("call"), arguments: z.array(z.object({ name: z.string(), value: z.string() })) }),
  z.object({ kind: z.literal("files"), files: z.array(plannedFileSchema) }),
  z.object({
    kind: z.literal("command"),
    /** The id in the allowlist. */
    command: z.string(),
    /** Absolute path of the program that will run. */
    program: z.string(),
    /** Where its links lead, when it is one. */
    program_real: z.string().nullish(),
    args: z.array(z.string()),
    workdir: z.string(),
    /** What is set beyond the base environment. */
    environment: z.record(z.string(), z.string()).default({}),
    network: z.boolean(),
    /** What confines the command, in words. */
    sandbox: z.string(),
    timeout_ms: z.number(),
    /** The command itself can read blocked files. */
    can_read_blocked: z.boolean(),
  }),
  z.object({ kind: z.literal("stage"), action: z.enum(["stage", "unstage"]), paths: z.array(z.string()) }),
  z.object({
    kind: z.literal("commit"),
    message: z.string(),
    author: z.string(),
    branch: z.string().nullish(),
    amend: z.boolean().default(false),
    files: z.array(plannedFileSchema).default([]),
    /** Hooks that would run. */
    hooks: z.array(z.string()).default([]),
    /** Signing is configured and will not be done. */
    unsigned: z.boolean().default(false),
  }),
]);
export type Preview = z.infer<typeof previewSchema>;

export const planSchema = z.object({
  id: z.string(),
  /** Covers everything that is shown; two plans with the same digest do the same. */
  digest: z.string(),
  tool: z.string(),
  workspace: z.string(),
  tier: tierSchema,
  /** Why it asks. Begins with `approval_stale: …` where an earlier answer no longer fits. */
  reasons: z.array(z.string()).default([]),
  summary: z.string(),
  preview: previewSchema,
  expires_at: z.string(),
});
export type Plan = z.infer<typeof planSchema>;
