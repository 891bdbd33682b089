// The build: one source for both browser families, Manifest V3 in both.
//
// Ids and the host's name come from `manifests/ids.json`, which the installer reads too.
// Nothing is asked for at install: the origin of a model provider is asked for when it is added.
import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "wxt";
import ids from "../manifests/ids.json" with { type: "json" };

// Only the end-to-end tests set this: they cannot click the browser's own permission prompt.
// Their build stands beside the real one and is never shipped.
const isForTests = process.env["OUTRIGGER_E2E"] === "1";
const grantedForTests = isForTests ? ["http://127.0.0.1/*"] : [];

const localServers = ["http://127.0.0.1/*", "http://localhost/*"];

export default defineConfig({
  srcDir: "src",
  outDirTemplate: `${isForTests ? "e2e-" : ""}{{browser}}-mv{{manifestVersion}}{{modeSuffix}}`,
  modules: ["@wxt-dev/module-react"],
  imports: false,
  manifestVersion: 3,
  // Everything is loaded from disk: one file of a megabyte costs less than several requests.
  vite: () => ({ define: { "import.meta.env.OUTRIGGER_E2E": isForTests }, plugins: [tailwindcss()], build: { chunkSizeWarningLimit: 1024 } }),
  manifest: ({ browser }) => ({
    name: "Outrigger",
    // What the browser shows of us outside the panel, in its own language: public/_locales.
    default_locale: "en",
    description: "__MSG_description__",
    action: { default_title: "__MSG_open__" },
    permissions: [
      "nativeMessaging",
      // Schedules.
      "alarms",
      // Unlocked keys, in memory only.
      "storage",
      "unlimitedStorage",
      "declarativeNetRequestWithHostAccess",
      // A card that waits, a turn that is over.
      "notifications",
      // "Ask Outrigger" on a page, and reading that page after it.
      "contextMenus",
      "activeTab",
      "scripting",
    ],
    host_permissions: grantedForTests,
    optional_host_permissions: ["https://*/*", ...localServers],
    ...(browser === "firefox"
      ? {
          browser_specific_settings: {
            gecko: {
              id: ids.firefox.extension_id,
              strict_min_version: "140.0",
              data_collection_permissions: { required: ["none"] },
            },
          },
        }
      : { key: ids.chromium.public_key, minimum_chrome_version: "123" }),
    // Model servers on this machine speak plain HTTP; everything else must be encrypted.
    content_security_policy: {
      extension_pages:
        "script-src 'self'; object-src 'none'; base-uri 'none'; img-src 'self' data: blob:; " +
        "connect-src 'self' https: http://127.0.0.1:* http://localhost:*",
    },
  }),
});
