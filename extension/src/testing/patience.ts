/** What a test waits to be drawn is waited for as long as a loaded machine may take, and no part is still on its way. */
import { configure } from "@testing-library/react";
import { beforeAll } from "vitest";
import { loadLater } from "../ui/common/later.tsx";
import { LONGEST_MS } from "./eventually.ts";

configure({ asyncUtilTimeout: LONGEST_MS });
beforeAll(loadLater);
