/** A ref for a field that appears because someone asked for it: it takes the focus once, when it comes. */
export function focusOnMount(element: HTMLElement | null): void {
  element?.focus();
}
