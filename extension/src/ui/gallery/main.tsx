// Shows one state of the panel: `?state=NAME&theme=dark`. Without a name, a list of them.
import { createRoot } from "react-dom/client";
import { Panel } from "../panel/panel.tsx";
import "../style/panel.css";
import { fakeClient } from "./fake-client.ts";
import { scenes } from "./scenes.ts";

const query = new URLSearchParams(location.search);
document.documentElement.dataset["theme"] = query.get("theme") ?? "light";
const name = query.get("state") ?? "";
const scene = Object.hasOwn(scenes, name) ? scenes[name] : undefined;
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    scene ? <Panel client={fakeClient(scene)} /> : <ul>{Object.keys(scenes).map((known) => <li key={known}><a href={`?state=${known}`}>{known}</a></li>)}</ul>,
  );
}
