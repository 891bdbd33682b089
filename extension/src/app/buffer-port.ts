// A port whose messages wait until someone listens. A browser drops what arrives before the first listener.
import type { PortLike } from "./panel-client.ts";

export interface BufferedPort extends PortLike {
  /** Takes out of what waits whatever this is true of. */
  withdraw<Kind>(is: (message: unknown) => message is Kind): readonly Kind[];
}

export function bufferPort(port: PortLike): BufferedPort {
  let early: unknown[] = [];
  const listeners: ((message: unknown) => void)[] = [];
  let isClosed = false;
  port.onMessage.addListener((message) => {
    if (listeners.length === 0) early.push(message);
    for (const listener of listeners) listener(message);
  });
  port.onDisconnect.addListener(() => (isClosed = true));
  return {
    postMessage: (message) => port.postMessage(message),
    disconnect: () => port.disconnect(),
    withdraw: (is) => {
      const all = early;
      early = all.filter((message) => !is(message));
      return all.filter(is);
    },
    onMessage: {
      addListener: (listener) => {
        listeners.push(listener);
        for (const message of early.splice(0)) listener(message);
      },
    },
    onDisconnect: {
      addListener: (listener) => {
        if (isClosed) queueMicrotask(listener);
        else port.onDisconnect.addListener(listener);
      },
    },
  };
}
