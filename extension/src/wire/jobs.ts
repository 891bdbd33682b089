// Background jobs, as the host tells a person of them: a look takes nothing from what the model is shown.
import { z } from "zod";
import { decoder } from "./decoder.ts";

const jobSchema = z.object({
  job: z.string(),
  /** The id of its command. */
  command: z.string(),
  state: z.string(),
  exit_code: z.number().nullish(),
  signal: z.string().nullish(),
  output: z.object({ text: z.string(), next_since: z.number(), omitted_bytes: z.number().default(0) }).nullish(),
});
export type WireJob = z.infer<typeof jobSchema>;

export const decodeJobs = decoder("the list of background jobs", z.object({ jobs: z.array(jobSchema) }));
