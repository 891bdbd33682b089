// What is asked of a browser, and under which name: the ids are those of the installer, the permissions the fewest that work.
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import ids from "../../manifests/ids.json" with { type: "json" };
import config from "../wxt.config.ts";

type Manifest = Record<string, unknown>;

function manifestFor(browser: string): Manifest {
  const make = config.manifest as (environment: { browser: string }) => Manifest;
  return make({ browser });
}

describe.each(["chrome", "firefox"])("%s", (browser) => {
  const manifest = manifestFor(browser);

  test("ancestor faults 1, 18: asks for what it uses, and for no origin at install", () => {
    expect(manifest["permissions"]).toEqual(["nativeMessaging", "alarms", "storage", "unlimitedStorage", "declarativeNetRequestWithHostAccess", "notifications", "contextMenus", "activeTab", "scripting"]);
    expect(manifest["host_permissions"]).toEqual([]);
    expect(manifest["optional_host_permissions"]).toEqual(["https://*/*", "http://127.0.0.1/*", "http://localhost/*"]);
  });

  test("has a button, or nothing would open the panel", () => {
    expect(manifest["action"]).toBeDefined();
  });

  test("ancestor fault 22: runs no code but its own", () => {
    expect((manifest["content_security_policy"] as Manifest)["extension_pages"]).toContain("script-src 'self';");
  });
});

test("the key gives the id that the installer writes into the host's manifest", () => {
  const key = manifestFor("chrome")["key"];
  expect(key).toBe(ids.chromium.public_key);
  const digest = createHash("sha256").update(Buffer.from(String(key), "base64")).digest("hex").slice(0, 32);
  const id = [...digest].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 16))).join("");
  expect(id).toBe(ids.chromium.extension_id);
});

test("Firefox has the installer's id", () => {
  expect(manifestFor("firefox")["browser_specific_settings"]).toMatchObject({ gecko: { id: ids.firefox.extension_id } });
});

test("the host's name is one that every browser takes", () => {
  expect(ids.host_name).toMatch(/^[a-z0-9_]+(\.[a-z0-9_]+)*$/);
});
