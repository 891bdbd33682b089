// The arguments of a call, as a model wrote them.

/** Models send an empty text for "no arguments"; everything else must be a JSON object. Null: it is none. */
export function parseArgs(text: string): Readonly<Record<string, unknown>> | null {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
