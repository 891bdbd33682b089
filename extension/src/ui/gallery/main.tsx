// Shows one state of the panel: `?state=NAME&theme=dark&lang=de`. Without a name, a list of them.
import { createRoot } from "react-dom/client";
import { Panel } from "../panel/panel.tsx";
import { isLanguage } from "../text/languages.ts";
import { TextProvider } from "../text/text-provider.tsx";
import "../style/panel.css";
import { allScenes } from "./all-scenes.ts";
import { fakeClient } from "./fake-client.ts";

const query = new URLSearchParams(location.search);
document.documentElement.dataset["theme"] = query.get("theme") ?? "light";
const wished = query.get("lang");
const language = isLanguage(wished) ? wished : "en";
const name = query.get("state") ?? "";
const scene = Object.hasOwn(allScenes, name) ? allScenes[name] : undefined;
const root = document.getElementById("root");
if (scene?.place !== undefined) location.hash = scene.place;
if (root) {
  createRoot(root).render(
    scene ? <TextProvider language={language}><Panel client={fakeClient(scene)} /></TextProvider> : <ul>{Object.keys(allScenes).map((known) => <li key={known}><a href={`?state=${known}`}>{known}</a></li>)}</ul>,
  );
}

for (const testId of scene?.press ?? []) {
  // What is pressed may come a moment later, with what was asked for.
  for (let tries = 0; tries < 40; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 25));
    const control = document.querySelector<HTMLElement>(`[data-testid="${testId}"]`);
    if (!control) continue;
    control.click();
    break;
  }
}
if (query.has("dir")) document.documentElement.dir = query.get("dir") ?? "ltr";
document.documentElement.dataset["ready"] = "true";
