// Our pages allow no `eval`. Zod would find that out by trying, which a browser reports as a violation of the policy: it is told before.
import { config } from "zod";

export function zodWithoutEval(): void {
  config({ jitless: true });
}
