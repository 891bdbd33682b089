// Why there is no link to the host: every way it fails, numbered, in words, with the exact command that helps.
//
// The browsers tell the reason only as a text of their own, which is mapped here; what is unknown is shown word for word.
import type { ConnectionFault } from "./connection-view.ts";
import type { Bye, ConfigError, VersionSkew } from "../wire/decode.ts";

/** Thrown by a transport that could not start. */
export class HostUnreachable extends Error {
  override readonly name = "HostUnreachable";
  constructor(readonly fault: ConnectionFault) {
    super(fault.message);
  }
}

interface Words {
  readonly reason: number;
  readonly message: string;
  readonly hint: string;
  readonly command: string | null;
}

const WORDS = {
  host_not_found: {
    reason: 1,
    message: "The Outrigger host is not installed for this browser.",
    hint: "Run this in a terminal; the panel notices by itself.",
    command: "outrigger install",
  },
  access_forbidden: {
    reason: 2,
    message: "The installed host does not allow this extension.",
    hint: "Install it again for this extension's id.",
    command: null,
  },
  host_unstartable: {
    reason: 3,
    message: "The browser found the host but could not start its program.",
    hint: "It may have been moved or lost its permission to run. Install it again.",
    command: "outrigger install",
  },
  host_exited: {
    reason: 4,
    message: "The host ended before it answered.",
    hint: "The doctor starts it the same way and says what is wrong.",
    command: "outrigger doctor",
  },
  host_garbled: {
    reason: 5,
    message: "What the host sends is not the protocol.",
    hint: "Another program may stand in its place, or something prints to its output. The doctor finds out.",
    command: "outrigger doctor",
  },
  hello_timeout: {
    reason: 6,
    message: "The host started but did not answer.",
    hint: "The doctor starts it the same way and says what is wrong.",
    command: "outrigger doctor",
  },
  version_skew: {
    reason: 7,
    message: "The host and this extension have no protocol version in common.",
    hint: "Update the older of the two.",
    command: null,
  },
  config_invalid: {
    reason: 8,
    message: "The host's configuration cannot be used.",
    hint: "Correct the file; the panel notices by itself.",
    command: "outrigger config check",
  },
  connection_lost: {
    reason: 9,
    message: "The connection to the host was lost.",
    hint: "It is being started again.",
    command: null,
  },
  unknown: {
    reason: 10,
    message: "The browser could not connect to the host.",
    hint: "The doctor looks at every step of the way.",
    command: "outrigger doctor",
  },
  too_many_starts: {
    reason: 11,
    message: "The host was started five times and never answered.",
    hint: "Nothing more is tried by itself. See what the doctor says, then press Retry.",
    command: "outrigger doctor",
  },
  bye_torn_frame: {
    reason: 12,
    message: "The host stopped: a message reached it only in part.",
    hint: "It is being started again. If this comes back, the doctor writes a report.",
    command: "outrigger doctor --report outrigger-report.txt",
  },
  bye_frame_too_long: {
    reason: 13,
    message: "The host stopped: a message was announced as longer than any may be.",
    hint: "It is being started again. If this comes back, the doctor writes a report.",
    command: "outrigger doctor --report outrigger-report.txt",
  },
  bye_terminated: {
    reason: 14,
    message: "The host was told to stop by the system.",
    hint: "It is being started again.",
    command: null,
  },
  bye_caller_not_allowed: {
    reason: 15,
    message: "The host does not know this extension and ended.",
    hint: "Install it again for this extension's id.",
    command: null,
  },
  bye_internal: {
    reason: 16,
    message: "The host stopped because of a fault of its own.",
    hint: "It is being started again. If this comes back, the doctor writes a report.",
    command: "outrigger doctor --report outrigger-report.txt",
  },
} as const satisfies Record<string, Words>;

export type FaultCode = keyof typeof WORDS;

export function faultOf(code: FaultCode, more: Partial<Omit<ConnectionFault, "reason" | "code">> = {}): ConnectionFault {
  const words: Words = WORDS[code];
  return { reason: words.reason, code, message: words.message, hint: words.hint, command: words.command, detail: null, ...more };
}

/** From the text with which a browser closed a port. Null is Firefox's way of saying that the process ended. */
export function faultOfDisconnect(text: string | null, extensionId: string): ConnectionFault {
  const detail = text;
  if (text === null || /has exited/i.test(text)) return faultOf("host_exited", { detail });
  if (/forbidden/i.test(text)) return faultOf("access_forbidden", { detail, command: installFor(extensionId) });
  if (/host not found/i.test(text)) return faultOf("host_not_found", { detail });
  // Firefox says the same for a missing manifest, a wrong one, and one that does not allow this add-on.
  if (/no such native application/i.test(text)) return faultOf("host_not_found", { detail });
  if (/unexpected error occurred/i.test(text)) return faultOf("host_unstartable", { detail });
  if (/error when communicating|exceeds the limit/i.test(text)) return faultOf("host_garbled", { detail });
  return faultOf("unknown", { detail });
}

export function faultOfBye(bye: Bye, extensionId: string): ConnectionFault {
  const detail = bye.message === "" ? null : bye.message;
  switch (bye.reason) {
    case "torn_frame":
      return faultOf("bye_torn_frame", { detail });
    case "frame_too_long":
      return faultOf("bye_frame_too_long", { detail });
    case "terminated":
      return faultOf("bye_terminated", { detail });
    case "caller_not_allowed":
      return faultOf("bye_caller_not_allowed", { detail, command: installFor(extensionId) });
    case "internal":
      return faultOf("bye_internal", { detail });
    default:
      return faultOf("connection_lost", { detail });
  }
}

export function faultOfSkew(skew: VersionSkew): ConnectionFault {
  const hostIsOlder = skew.host.max < skew.client.min;
  return faultOf("version_skew", {
    message: `The host speaks protocol ${range(skew.host)}, this extension ${range(skew.client)}.`,
    hint: skew.hint ?? (hostIsOlder ? "Update the host." : "Update the extension."),
  });
}

export function faultOfConfig(path: string | null, error: ConfigError | null): ConnectionFault {
  const file = error?.file ?? path;
  const place = [file, error?.line, error?.column].filter((part) => part !== null && part !== undefined).join(":");
  const message = error?.message ?? "no reason was given";
  return faultOf("config_invalid", {
    message: `The host's configuration cannot be used: ${message}`,
    detail: place === "" ? message : `${place}: ${message}`,
    ...(error?.hint ? { hint: error.hint } : {}),
  });
}

function installFor(extensionId: string): string {
  return `outrigger install --extension-id ${extensionId}`;
}

function range({ min, max }: { readonly min: number; readonly max: number }): string {
  return min === max ? `${min}` : `${min} to ${max}`;
}
