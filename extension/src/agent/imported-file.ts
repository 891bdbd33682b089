/** Whose text an imported conversation is: nobody here knows, so that nothing runs by itself while it is in the context. */
export const IMPORTED_FILE = "an imported file";
