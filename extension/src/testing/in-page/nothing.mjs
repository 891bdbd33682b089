// Stands for what a browser has by itself.
export const IS_NATIVE = true;
