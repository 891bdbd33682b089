/** The list of sessions. */
export const sessions = {
  landmark: "Sessions",
  title: "Sessions",
  search: "Search sessions",
  none: "No sessions yet",
  noneHint: "What you ask becomes a session. It stays in this browser.",
  noMatch: "No session matches",
  rename: "Rename",
  renameLabel: "Name of the session",
  delete: "Delete",
  deleted: (title: string) => `“${title}” deleted`,
  more: (title: string) => `More about ${title}`,
  states: { idle: "", running: "Running", needs_you: "Needs you", complete: "Complete", cancelled: "Cancelled", failed: "Failed" },
};
