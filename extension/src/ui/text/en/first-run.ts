/** The first screen of a new session. */
export const firstRun = {
  greeting: "What shall we work on?",
  intro: "The agent reads and searches freely, asks before it changes anything, and everything it did stays here to look at.",
  suggestions: [
    { title: "Fix the failing test and commit it", task: "Fix the failing test and commit it" },
    { title: "Explain this project", task: "Explain how this project is put together" },
    { title: "Review what I changed", task: "Review my uncommitted changes" },
  ],
  suggested: "Suggested tasks",
  way: "What is needed to begin",
  steps: { host: "Host", folder: "Folder", model: "Model" },
  done: "done",
  demo: "For now the demo model answers: built in, without any network, only to show how it works. For real work take a model server on this machine, or a key of a provider.",
  addModel: "Add a model by hand",
};
