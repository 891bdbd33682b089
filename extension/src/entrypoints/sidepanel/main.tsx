// The side panel: connects to the engine and shows what it knows. No state of its own beyond what is on the screen.
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { connectPanel } from "../../app/panel-client.ts";
import { Panel } from "../../ui/panel/panel.tsx";
import { loadScreens } from "../../ui/panel/screens.tsx";
import { spokenLanguage } from "../../ui/preferences/preferences.ts";
import { Preferred } from "../../ui/preferences/preferred.tsx";
import { loadWords } from "../../ui/text/languages.ts";
import "../../ui/style/panel.css";

// The engine is asked at once; meanwhile the words come.
const client = connectPanel();
await loadWords(spokenLanguage());
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <Preferred>
        <Panel client={client} />
      </Preferred>
    </StrictMode>,
  );
}
// After the first picture; what fails here is tried again when it is opened.
requestIdleCallback(() => void loadScreens().catch(() => {}), { timeout: 2_000 });
