/** The language itself: its tag for the document and for numbers and times, its own name, and where its lines begin. */
import type { Catalogue } from "../catalogue.ts";

export const language: Catalogue["language"] = { tag: "zh-Hans", name: "简体中文", direction: "ltr" };
