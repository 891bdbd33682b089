// What the host answers to errands of a person: the doctor's checks, a folder that was picked, and why one could not be.
import { z } from "zod";
import { decoder } from "./decoder.ts";

const checkSchema = z.object({
  /** Stable, such as `manifest.allowed`. */
  id: z.string(),
  /** What is unknown was not checked, and never counts as right. */
  verdict: z.enum(["ok", "warning", "problem", "not_checked"]).catch("not_checked"),
  message: z.string(),
  evidence: z.string().nullish(),
  /** One command for a shell, complete. */
  fix: z.string().nullish(),
  advice: z.string().nullish(),
  fixable: z.boolean().default(false),
});
export type DoctorCheck = z.infer<typeof checkSchema>;

const doctorSchema = z.object({
  version: z.string(),
  ok: z.boolean(),
  browsers: z.array(z.object({ browser: z.string(), name: z.string(), manifest: z.string().nullish(), ok: z.boolean(), checks: z.array(checkSchema) })),
  general: z.array(checkSchema),
  report: z.string().nullish(),
});
export type WireDoctor = z.infer<typeof doctorSchema>;

const pickedSchema = z.object({ state: z.enum(["added", "known", "cancelled"]), workspace: z.object({ id: z.string() }).nullish() });
export type WirePicked = z.infer<typeof pickedSchema>;

const refusalSchema = z.object({ reason: z.string(), hint: z.string(), command: z.string().nullish() });
export type ErrandRefusal = z.infer<typeof refusalSchema>;

export const decodeDoctor = decoder("the doctor's answer", doctorSchema);
export const decodePicked = decoder("the answer to a picked folder", pickedSchema);

/** Null: the host said no more than a message. */
export function readRefusal(data: unknown): ErrandRefusal | null {
  const refusal = refusalSchema.safeParse(data);
  return refusal.success ? refusal.data : null;
}
