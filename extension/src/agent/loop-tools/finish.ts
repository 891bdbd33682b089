// Ends the turn, for models that do not know when to stop. Offered where a profile names it.
import { z } from "zod";
import { done, loopTool } from "./loop-tool.ts";

export const finish = loopTool({
  name: "finish",
  description: "Ends your work on the task. Call it alone, once, when everything is done and checked.",
  params: z.object({ summary: z.string().min(1).describe("What was done and how it was checked, for the user") }),
  readOnly: true,
  onDemand: true,
  run: ({ summary }) => done(summary),
});
