// The state of the link to the host, as the panel shows it.

/**
 * The link to the host, derived from a completed hello and from nothing else.
 * `reason` numbers are stable; the documentation lists them.
 */
export type ConnectionView =
  | { readonly state: "idle" }
  | { readonly state: "connecting"; readonly attempt: number }
  | { readonly state: "connected"; readonly host: HostView }
  | {
      readonly state: "failed";
      readonly fault: ConnectionFault;
      /** When the next try is due (milliseconds since 1970), or null: only Retry goes on. */
      readonly retryAt: number | null;
    };

export interface HostView {
  readonly version: string;
  readonly build: string;
  readonly instance: string;
  readonly pid: number;
  readonly protocol: number;
  readonly configPath: string;
}

export interface ConnectionFault {
  /** A stable number, such as 1 for "not installed". */
  readonly reason: number;
  /** Its stable name, such as `host_not_found`. */
  readonly code: string;
  /** One sentence: what is wrong. */
  readonly message: string;
  /** One sentence: what to do. */
  readonly hint: string;
  /** The exact command to copy into a terminal, where one helps. */
  readonly command: string | null;
  /** What the browser or the host said, word for word. */
  readonly detail: string | null;
}
