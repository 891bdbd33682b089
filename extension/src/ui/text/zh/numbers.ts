import { numbersIn } from "../numbers.ts";

export const { price, size, whole } = numbersIn("zh-Hans");
