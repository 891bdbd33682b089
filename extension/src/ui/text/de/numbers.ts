import { numbersIn } from "../numbers.ts";

export const { plural, price, size, whole } = numbersIn("de");
