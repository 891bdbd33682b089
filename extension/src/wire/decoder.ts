// One door for all that comes from the host: it fits its schema, or it is a `WireError` that says where it does not.
import type { z } from "zod";

/** The host said something that does not fit the protocol. `path` is where in it. */
export class WireError extends Error {
  override readonly name = "WireError";
  constructor(
    readonly what: string,
    readonly path: string,
    readonly reason: string,
  ) {
    super(`${what} of the host does not fit the protocol: ${path === "" ? "" : `\`${path}\`: `}${reason}`);
  }
}

export function decoder<Schema extends z.ZodType>(what: string, schema: Schema): (value: unknown) => z.output<Schema> {
  return (value) => {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    throw new WireError(what, issue?.path.join(".") ?? "", issue?.message ?? "unreadable");
  };
}
