// Row 20: the browser's own model, where there is one: asked with the talk as it stands, stopped, and told of in words where it is missing.
import { afterEach, describe, expect, test } from "vitest";
import { browserModel, hasBrowserModel } from "./browser-model.ts";
import { ModelFault, type ModelPart, type ModelRequest } from "./model.ts";

interface Made {
  readonly initialPrompts: readonly { readonly role: string; readonly content: string }[];
  readonly signal: AbortSignal;
}

/** What a browser offers under this name. */
function offer(availability: string, pieces: readonly string[] | Error = []) {
  const seen = { made: [] as Made[], asked: [] as string[], destroyed: 0 };
  Reflect.set(globalThis, "LanguageModel", {
    availability: async () => availability,
    create: async (options: Made) => {
      seen.made.push(options);
      return {
        promptStreaming: (text: string) => {
          seen.asked.push(text);
          return new ReadableStream<string>({
            start: (controller) => {
              if (pieces instanceof Error) return controller.error(pieces);
              for (const piece of pieces) controller.enqueue(piece);
              return controller.close();
            },
          });
        },
        destroy: () => {
          seen.destroyed += 1;
        },
      };
    },
  });
  return seen;
}

afterEach(() => {
  Reflect.deleteProperty(globalThis, "LanguageModel");
});

const REQUEST: ModelRequest = {
  system: "be brief",
  messages: [
    { role: "user", text: "hi" },
    { role: "assistant", text: "hello", reasoning: "", calls: [], providerData: null },
    { role: "user", text: "and now?" },
  ],
  tools: [],
  signal: new AbortController().signal,
};

async function ask(): Promise<{ parts: ModelPart[]; fault: ModelFault | null }> {
  const parts: ModelPart[] = [];
  try {
    for await (const part of browserModel({ label: "Built in" }).stream(REQUEST)) parts.push(part);
    return { parts, fault: null };
  } catch (error) {
    if (error instanceof ModelFault) return { parts, fault: error };
    throw error;
  }
}

describe("row 20: the browser's own model", () => {
  test("gets the talk in its roles, and its answer is whole", async () => {
    const seen = offer("available", ["It ", "works."]);
    expect(await hasBrowserModel()).toBe(true);
    const { parts } = await ask();
    expect(parts).toEqual([{ type: "accepted", requestId: null }, { type: "text", text: "It " }, { type: "text", text: "works." }, { type: "finish", reason: "stop", usage: null, providerData: null }]);
    expect(seen.made[0]?.initialPrompts).toEqual([{ role: "system", content: "be brief" }, { role: "user", content: "hi" }, { role: "assistant", content: "hello" }]);
    expect(seen.asked).toEqual(["and now?"]);
    expect(seen.destroyed).toBe(1);
  });

  test.each(["unavailable", "downloadable", "downloading"])("%s is no model, and says so", async (availability) => {
    offer(availability);
    expect(await hasBrowserModel()).toBe(false);
    expect((await ask()).fault?.fault).toMatchObject({ code: "no_browser_model", retryable: false });
  });

  test("no such thing in this browser", async () => {
    expect(await hasBrowserModel()).toBe(false);
    expect((await ask()).fault?.fault.code).toBe("no_browser_model");
  });

  test("one that fails is let go of", async () => {
    const seen = offer("available", new Error("quota"));
    expect((await ask()).fault?.fault).toMatchObject({ code: "browser_model", message: expect.stringContaining("quota") as string });
    expect(seen.destroyed).toBe(1);
  });
});
