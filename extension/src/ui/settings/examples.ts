/** What stands in empty fields to show their form: names and patterns, the same in every language. */
export const EXAMPLES = { tool: "fs_write", slowTool: "exec_run", tools: "fs_read, search_grep", path: "src/**", command: "node_test", args: "--test **", noLimit: "∞" } as const;
