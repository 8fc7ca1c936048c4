import { once } from './async.ts';

let container = 0;

/** Makes a value when it is first asked for, and keeps it as long as the container lives. After a failure the next call tries again. */
export function perContainer<Value>(make: () => Value): () => Value {
  let kept: { readonly container: number; readonly read: () => Value } | undefined;
  return () => {
    if (kept?.container !== container) kept = { container, read: once(make) };
    return kept.read();
  };
}

/**
 * Begins a new container in this process: everything that depends on the environment is made anew when it is next asked for. It
 * spares a process that runs many tests the 1.6 s of loading all modules again.
 */
export function beginContainer(): void {
  container += 1;
}
