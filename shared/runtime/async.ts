import { setTimeout as pause } from 'node:timers/promises';

/** Creates a value on first use and keeps it; after a failure, the next call tries again. */
export function once<Value>(make: () => Value): () => Value {
  let current: { readonly value: Value } | undefined;
  return () => {
    if (current) return current.value;
    const value = make();
    current = { value };
    if (value instanceof Promise) value.catch(() => (current = undefined));
    return value;
  };
}

type Methods<Port> = { readonly [Name in keyof Port]: (...parameters: never[]) => Promise<unknown> };

/** Returns a port that opens on its first call; `toError` converts a failure, after which the next call tries again. */
export function lazily<Port extends Methods<Port>>(
  open: () => Promise<Port>,
  toError: (cause: unknown) => Error,
): Port {
  const getPort = once(open);
  const call = (name: string | symbol, parameters: unknown[]) =>
    getPort().then(
      (port) => Reflect.apply(Reflect.get(port, name), port, parameters),
      (cause: unknown) => Promise.reject(toError(cause)),
    );
  return new Proxy({} as Port, {
    // With a method `then`, a port would be a promise.
    get: (own, name) =>
      Reflect.get(own, name) ?? (name === 'then' ? undefined : (...parameters: unknown[]) => call(name, parameters)),
  });
}

/** Concurrent callers share one run of the work. */
export function singleFlight<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let flight: Promise<Result> | undefined;
  return () => {
    flight ??= work().finally(() => {
      flight = undefined;
    });
    return flight;
  };
}

type Pace = {
  readonly atOnce: number;
  readonly onProgress?: (share: number) => void;
  /** True if no more work should begin. Checked after each item, so that the first few are always done. */
  readonly isOver?: () => boolean;
};

/** Does the work for each item, `atOnce` in parallel; results are in order of completion. After a failure no more work begins. */
export async function sideBySide<Item, Result>(
  items: readonly Item[],
  { atOnce, onProgress = () => undefined, isOver = () => false }: Pace,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const failures: unknown[] = [];
  const remaining = items.values();
  const worker = async () => {
    for (const item of remaining) {
      try {
        results.push(await work(item));
        onProgress(results.length / items.length);
      } catch (error) {
        failures.push(error);
      }
      if (failures.length > 0 || isOver()) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
  return results;
}

/** Returns a function that waits for its turn: so many turns a second, after a quarter of a second's at once. */
export function createPace(perSecond: number): () => Promise<void> {
  const turnMs = 1_000 / perSecond;
  let freeAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const time = performance.now();
    freeAt = Math.max(freeAt, time - 250) + turnMs;
    if (freeAt > time) await pause(freeAt - time);
  };
}

type Patience = { readonly tries: number; readonly longestPauseMs: number };

/** Tries until there is a result, after random pauses; undefined after the last try. A failure is thrown at once. */
export async function retry<Result>(
  { tries, longestPauseMs }: Patience,
  attempt: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  for (let remaining = tries; remaining > 0; remaining--) {
    const result = await attempt();
    if (result !== undefined) return result;
    if (remaining > 1) await pause(Math.random() * longestPauseMs);
  }
  return undefined;
}

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
