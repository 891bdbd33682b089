// Shows one state of the panel: `?state=NAME&theme=dark&lang=de`. Without a name, a list of them.
import { createRoot } from "react-dom/client";
import { Panel } from "../panel/panel.tsx";
import { isLanguage } from "../text/languages.ts";
import { TextProvider } from "../text/text-provider.tsx";
import "../style/panel.css";
import { fakeClient } from "./fake-client.ts";
import { scenes } from "./scenes.ts";

const query = new URLSearchParams(location.search);
document.documentElement.dataset["theme"] = query.get("theme") ?? "light";
const wished = query.get("lang");
const language = isLanguage(wished) ? wished : "en";
const name = query.get("state") ?? "";
const scene = Object.hasOwn(scenes, name) ? scenes[name] : undefined;
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    scene ? <TextProvider language={language}><Panel client={fakeClient(scene)} /></TextProvider> : <ul>{Object.keys(scenes).map((known) => <li key={known}><a href={`?state=${known}`}>{known}</a></li>)}</ul>,
  );
}
