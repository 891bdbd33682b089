/** A ref for a field that appears because someone asked for it: it takes the focus once, when it comes, and the rest of its form comes into sight with it. */
export function focusOnMount(element: HTMLInputElement | HTMLTextAreaElement | null): void {
  // One goes on writing where the words end; a box to tick has none.
  if (element?.selectionStart !== null) element?.setSelectionRange(element.value.length, element.value.length);
  element?.focus();
  element?.form?.scrollIntoView?.({ block: "nearest" });
}
