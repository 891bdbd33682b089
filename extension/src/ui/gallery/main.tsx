// Shows one state of the panel: `?state=NAME&theme=dark&lang=de`. Without a name, a list of them.
import { createRoot } from "react-dom/client";
import type { PanelPlace } from "../../app/toolbar.ts";
import { Panel } from "../panel/panel.tsx";
import { isLanguage, loadWords } from "../text/languages.ts";
import { TextProvider } from "../text/text-provider.tsx";
import { Welcome } from "../welcome/welcome.tsx";
import "../style/panel.css";
import { allScenes } from "./all-scenes.ts";
import { fakeClient } from "./fake-client.ts";

const query = new URLSearchParams(location.search);
document.documentElement.dataset["theme"] = query.get("theme") ?? "light";
const wished = query.get("lang");
const language = isLanguage(wished) ? wished : "en";
await loadWords(language);
const name = query.get("state") ?? "";
const scene = Object.hasOwn(allScenes, name) ? allScenes[name] : undefined;
const root = document.getElementById("root");
if (scene?.place !== undefined) location.hash = scene.place;
const follow = (tell: (place: PanelPlace) => void) => {
  tell({ isPinned: scene?.welcome?.isPinned === true, isOpen: false });
  return () => {};
};
if (root) {
  createRoot(root).render(
    scene ? <TextProvider language={language}>{scene.welcome ? <Welcome isFirefox={scene.welcome.isFirefox} openPanel={() => Promise.resolve()} follow={follow} /> : <Panel client={fakeClient(scene)} />}</TextProvider> : <ul>{Object.keys(allScenes).map((known) => <li key={known}><a href={`?state=${known}`}>{known}</a></li>)}</ul>,
  );
}

for (const act of scene?.press ?? []) {
  // What is pressed may come a moment later, with what was asked for; a card's buttons take their moment, too.
  for (let tries = 0; tries < 40; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 25));
    if (done(act)) break;
  }
}

/** `/words` are written into the message box and, but for the slash alone, sent; `?` is the key; `id=words` are written into a field; `…id` is waited for; `↓id` is brought to the top; everything else is the test id of what is clicked. */
function done(act: string): boolean {
  if (act === "?") return document.dispatchEvent(new KeyboardEvent("keydown", { key: "?", bubbles: true }));
  if (act.startsWith("…")) return document.querySelector(`[data-testid="${act.slice(1)}"]`) !== null;
  if (act.startsWith("↓")) {
    const part = document.querySelector(`[data-testid="${act.slice(1)}"]`);
    part?.scrollIntoView({ block: "start" });
    return part !== null;
  }
  if (!act.startsWith("/") && act.includes("=")) {
    const [id, words] = act.split("=", 2);
    const field = document.querySelector<HTMLInputElement>(`[data-testid="${id}"]`);
    if (!field) return false;
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field, words);
    return field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  }
  if (!act.startsWith("/")) {
    const control = [...document.querySelectorAll<HTMLElement>(`[data-testid="${act}"]`)].at(-1);
    if (!control || control.matches(":disabled")) return false;
    control.click();
    return true;
  }
  const box = document.querySelector<HTMLTextAreaElement>("[data-testid=composer-input]");
  if (!box) return false;
  box.focus();
  // As if it was typed: React looks at the setter of the element itself.
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value")?.set?.call(box, act);
  box.dispatchEvent(new InputEvent("input", { bubbles: true }));
  if (act !== "/") setTimeout(() => box.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true })), 50);
  return true;
}
// After the language has said its own.
await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
if (query.has("dir")) document.documentElement.dir = query.get("dir") ?? "ltr";
document.documentElement.dataset["ready"] = "true";
