// Starts Firefox once and keeps what it keeps to start sooner: each browser of the tests begins a second earlier then.
import { keep } from "./firefox-caches.mjs";
import { Firefox } from "./firefox.mjs";
import { extensionBuild } from "./places.mjs";
import { Scratch } from "./scratch.mjs";

const scratch = new Scratch("outrigger-firefox");
try {
  const profile = scratch.make("profile");
  const firefox = await Firefox.launch({ extension: extensionBuild("e2e-firefox-mv3"), environment: scratch.environment(), profile });
  await firefox.close();
  keep(profile);
} finally {
  await scratch.end();
}
