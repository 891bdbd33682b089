/** The link to the host: the chip, the page, what is wrong and what to do. */
import type { Catalogue } from "../catalogue.ts";

export const connection: Catalogue["connection"] = {
  label: (state) => `Verbindung: ${state}`,
  states: { idle: "Ruht", connecting: "Verbindet", connected: "Verbunden", failed: "Nicht verbunden" },
  details: "Verbindung",
  good: "Der Host hat geantwortet",
  title: "Outrigger ist nicht verbunden",
  reason: (number) => `Grund ${number}`,
  detail: "Was der Browser gesagt hat",
  noticed: "Es wird weiter gesucht. Nichts neu starten: Das Panel macht von selbst weiter.",
  stopped: "Das Panel versucht es nicht weiter, damit der Host nicht immer wieder gestartet wird.",
  looking: "Sucht den Host",
  idleHint: "Im Moment ist nichts zu tun. Das Panel verbindet sich, sobald du etwas willst.",
  host: "Host",
  hostVersion: (version, build) => `outrigger ${version} (${build})`,
  protocol: "Protokoll",
  process: "Prozess",
  configuration: "Konfiguration",
  bar: "Nicht mit dem Host verbunden.",
  show: "Was tun?",
};
