/** Whether this page is before the person, and not a tab behind another one. */
import { useSyncExternalStore } from "react";

export function useVisible(): boolean {
  return useSyncExternalStore(subscribe, isVisible);
}

function subscribe(listener: () => void): () => void {
  document.addEventListener("visibilitychange", listener);
  return () => document.removeEventListener("visibilitychange", listener);
}

function isVisible(): boolean {
  return document.visibilityState !== "hidden";
}
