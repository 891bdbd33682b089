// The background of both browsers: listeners, registered synchronously, and nothing else.
import { defineBackground } from "wxt/utils/define-background";
import { browser } from "wxt/browser";

export default defineBackground({
  type: "module",
  main() {
    void browser.sidePanel?.setPanelBehavior({ openPanelOnActionClick: true });
  },
});
