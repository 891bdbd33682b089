// A value that tells when it changed. The shape React's `useSyncExternalStore` wants, without React.

export interface Readable<Value> {
  get(): Value;
  subscribe(listener: () => void): () => void;
}

export class Store<Value> implements Readable<Value> {
  #value: Value;
  readonly #listeners = new Set<() => void>();

  constructor(value: Value) {
    this.#value = value;
  }

  readonly get = (): Value => this.#value;

  set(value: Value): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}
