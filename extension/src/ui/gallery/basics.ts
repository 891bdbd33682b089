// What every scene stands on: a good connection, three models, three workspaces, five sessions.
import type { AppView, ConnectionView, SessionSummary } from "../../app/views.ts";
import { NOW } from "./parts.ts";

export const connected: ConnectionView = { state: "connected", host: { version: "0.1.0", build: "release", instance: "01J", pid: 4242, protocol: 1, configPath: "/home/ada/.config/outrigger/config.toml" } };
export const summaries: SessionSummary[] = [
  { id: "01A", title: "Fix the failing test and commit it", status: "needs_you", workspace: "app", model: "demo", createdAt: NOW, updatedAt: NOW - 40_000, waiting: 1 },
  { id: "01B", title: "Explain how the configuration is loaded, and where a typo in it would be told", status: "running", workspace: "outrigger", model: "demo", createdAt: NOW, updatedAt: NOW - 300_000, waiting: 0 },
  { id: "01C", title: "Rename the settings page", status: "complete", workspace: "app", model: "demo", createdAt: NOW, updatedAt: NOW - 7_400_000, waiting: 0 },
  { id: "01D", title: "Upgrade to React 19", status: "failed", workspace: "website", model: "demo", createdAt: NOW, updatedAt: NOW - 90_000_000, waiting: 0 },
  { id: "01E", title: "Review my uncommitted changes", status: "cancelled", workspace: "app", model: "demo", createdAt: NOW, updatedAt: NOW - 190_000_000, waiting: 0 },
];
export const app: AppView = {
  memoryOnly: false,
  models: [
    { id: "demo", label: "Demo model", kind: "demo", baseUrl: null, modelName: null, hasKey: false, permitted: true },
    { id: "m1", label: "qwen3-coder:30b", kind: "openai_compatible", baseUrl: "http://localhost:11434/v1", modelName: "qwen3-coder:30b", hasKey: false, permitted: true },
    { id: "m2", label: "Team server", kind: "openai_compatible", baseUrl: "https://models.example.org/v1", modelName: "glm-5", hasKey: true, permitted: false },
  ],
  workspaces: [
    { id: "app", path: "/home/ada/src/app", isDefault: true, readOnly: false, available: true, reason: null },
    { id: "outrigger", path: "/home/ada/src/outrigger", isDefault: false, readOnly: true, available: true, reason: null },
    { id: "old", path: "/mnt/disk/old", isDefault: false, readOnly: false, available: false, reason: "the workspace `old` cannot be opened at `/mnt/disk/old`: No such file or directory (os error 2)" },
  ],
  defaults: { workspace: "app", model: "demo", mode: "ask" },
  sessions: summaries,
  modes: ["plan", "ask", "accept_edits"],
};
