// The browser's native port, in the shape the transport wants.
import { browser } from "wxt/browser";
import type { NativePort } from "./port-transport.ts";

export function openNativePort(name: string): NativePort {
  const port = browser.runtime.connectNative(name);
  return {
    postMessage: (message) => port.postMessage(message),
    disconnect: () => port.disconnect(),
    onMessage: (listener) => port.onMessage.addListener(listener),
    // Chromium tells the reason in `lastError`, Firefox on the port; reading it also marks it as seen.
    onDisconnect: (listener) =>
      port.onDisconnect.addListener((closed) => {
        const own = (closed as { error?: { message?: string } | null }).error?.message;
        listener(own ?? browser.runtime.lastError?.message ?? null);
      }),
  };
}
