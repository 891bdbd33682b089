// The side panel: connects to the engine and shows what it knows. No state of its own beyond what is on the screen.
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { connectPanel } from "../../app/panel-client.ts";
import { Panel } from "../../ui/panel/panel.tsx";
import { loadLater } from "../../ui/panel/screens.tsx";
import { spokenLanguage } from "../../ui/preferences/preferences.ts";
import { Preferred } from "../../ui/preferences/preferred.tsx";
import { knownWords, loadWords } from "../../ui/text/languages.ts";
import "../../ui/style/panel.css";

const client = connectPanel();

function draw(): void {
  const root = document.getElementById("root");
  if (!root) return;
  createRoot(root).render(
    <StrictMode>
      <Preferred>
        <Panel client={client} />
      </Preferred>
    </StrictMode>,
  );
}

// The engine is asked meanwhile; what is there already is not waited for.
const language = spokenLanguage();
if (knownWords(language) === null) void loadWords(language).then(draw);
else draw();
// After the first picture; what fails here is tried again when it is opened.
requestIdleCallback(() => void loadLater().catch(() => {}), { timeout: 2_000 });
