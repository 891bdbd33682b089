// Chance is tried out in Node, in thousands of cases; here a few of them show that the browser's engine says the same.
import * as fc from "fast-check/in-page";

export * from "fast-check/in-page";

const RUNS = 20;

export const assert = (property, options = {}) => fc.assert(property, { ...options, numRuns: Math.min(options.numRuns ?? RUNS, RUNS) });
