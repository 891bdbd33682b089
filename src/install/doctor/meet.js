// What a browser is asked to do: to connect to the host as our extension would, and to say what came of it.
(name, hello) =>
  new Promise((resolve) => {
    const runtime = globalThis.browser?.runtime ?? globalThis.chrome?.runtime;
    if (!runtime?.connectNative) return resolve({ early: true });
    try {
      const port = runtime.connectNative(name);
      port.onMessage.addListener((answer) => resolve({ answer }));
      port.onDisconnect.addListener(() => resolve({ closed: port.error?.message ?? runtime.lastError?.message ?? "" }));
      port.postMessage(hello);
    } catch (error) {
      resolve({ closed: String(error?.message ?? error) });
    }
  })
