// The page that stands open after the install: a browser shows a new extension nowhere by itself.
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { followPanelPlace, openPanelHere } from "../../app/toolbar.ts";
import { spokenLanguage } from "../../ui/preferences/preferences.ts";
import { Preferred } from "../../ui/preferences/preferred.tsx";
import { loadWords } from "../../ui/text/languages.ts";
import { Welcome } from "../../ui/welcome/welcome.tsx";
import "../../ui/style/panel.css";

const root = document.getElementById("root");
await loadWords(spokenLanguage());
if (root) {
  createRoot(root).render(
    <StrictMode>
      <Preferred>
        <Welcome isFirefox={import.meta.env.FIREFOX} openPanel={await openPanelHere()} follow={followPanelPlace} />
      </Preferred>
    </StrictMode>,
  );
}
