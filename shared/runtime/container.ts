import { once } from './async.ts';

let container = 0;

/** Creates a value on first use and keeps it for the container's life; after a failure, the next call tries again. */
export function perContainer<Value>(make: () => Value): () => Value {
  let current: { readonly container: number; readonly read: () => Value } | undefined;
  return () => {
    if (current?.container !== container) current = { container, read: once(make) };
    return current.read();
  };
}

/** Simulates a new container, so that tests need not load all modules again (1.6 s). */
export function beginContainer(): void {
  container += 1;
}
