// A text of many MiB through the real host and back, with a small question asked while it is under way. Runs in an extension's page.

/** Milliseconds from the first to the last chunk of the answer, what the small question took meanwhile, and whether all was right. */
export async function largeEcho({ host, bytes, chunkBytes }) {
  const { runtime } = globalThis.browser ?? globalThis.chrome;
  const port = runtime.connectNative(host);
  const hexOf = async (text) => [...new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const text = JSON.stringify({ jsonrpc: "2.0", id: "large", method: "outrigger/echo", params: { text: "0123456789abcdef".repeat(bytes / 16) } });
  const sha256 = await hexOf(text);
  const count = Math.ceil(text.length / chunkBytes);
  return new Promise((resolve, reject) => {
    const parts = [];
    const small = [];
    let first = 0;
    let asked = 0;
    const ask = () => {
      asked = performance.now();
      port.postMessage({ jsonrpc: "2.0", id: `small${small.length}`, method: "outrigger/echo", params: { text: "small" } });
    };
    port.onDisconnect.addListener((closed) => reject(new Error(closed?.error?.message ?? runtime.lastError?.message ?? "the port closed")));
    port.onMessage.addListener((message) => {
      const { chunk } = message;
      if (chunk === undefined) {
        if (message.id === "hello") {
          for (let index = 0; index < count; index += 1) port.postMessage({ chunk: { id: "out", index, count, data: text.slice(index * chunkBytes, (index + 1) * chunkBytes), ...(index === count - 1 ? { sha256 } : {}) } });
        } else if (String(message.id).startsWith("small")) {
          small.push({ ms: performance.now() - asked, before: parts.length });
          if (parts.length > 0 && small.length < 20) ask();
        } else reject(new Error(JSON.stringify(message).slice(0, 500)));
        return;
      }
      if (chunk.index === 0) {
        first = performance.now();
        ask();
      }
      parts.push(chunk.data);
      if (chunk.index < chunk.count - 1) return;
      const joined = parts.join("");
      const answer = JSON.parse(joined);
      const ms = performance.now() - first;
      hexOf(joined).then((digest) => {
        port.disconnect();
        resolve({ ms, chunks: parts.length, isWhole: digest === chunk.sha256 && answer.result.text.length === bytes && answer.result.text.endsWith("abcdef"), small });
      }, reject);
    });
    port.postMessage({ jsonrpc: "2.0", id: "hello", method: "outrigger/hello", params: { client: { name: "outrigger-extension", version: "0.1.0" }, protocol: { min: 1, max: 1 } } });
  });
}
