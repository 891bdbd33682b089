/** What may happen without asking. */
export const mode = {
  label: "What may happen without asking",
  plan: "Plan",
  planHint: "Reads only. Nothing is changed.",
  ask: "Ask",
  askHint: "Asks before every change.",
  accept_edits: "Accept edits",
  accept_editsHint: "Edits files by itself. Still asks before commands and deletions.",
};
