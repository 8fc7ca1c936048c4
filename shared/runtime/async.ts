import { setTimeout as pause } from 'node:timers/promises';

/** Makes a value when it is first asked for, and keeps it. After a failure the next call tries again. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    if (made) return made.value;
    const value = make();
    made = { value };
    if (value instanceof Promise) value.catch(() => (made = undefined));
    return value;
  };
}

type Methods<Port> = { readonly [Name in keyof Port]: (...given: never[]) => Promise<unknown> };

/** Returns a port that its first call opens, and the next one after a failure, which `toError` makes one of the port. */
export function lazily<Port extends Methods<Port>>(
  open: () => Promise<Port>,
  toError: (cause: unknown) => Error,
): Port {
  const opened = once(open);
  const call = (name: string | symbol, given: unknown[]) =>
    opened().then(
      (port) => Reflect.apply(Reflect.get(port, name), port, given),
      (cause: unknown) => Promise.reject(toError(cause)),
    );
  return new Proxy({} as Port, {
    // A port with a method `then` would be a promise.
    get: (own, name) =>
      Reflect.get(own, name) ?? (name === 'then' ? undefined : (...given: unknown[]) => call(name, given)),
  });
}

/** Does the work once for everybody who asks while it is under way. */
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
  /** Is told the share that is done. */
  readonly onProgress?: (done: number) => void;
  /** True when no more work is to begin. It is asked after each, so that the first few are always done. */
  readonly isOver?: () => boolean;
};

/**
 * Does the work for each, a few at once; returns the results in the order in which they were done. After a failure no more
 * work begins, and what is under way comes to its end before the failure is thrown.
 */
export async function sideBySide<Each, Result>(
  all: readonly Each[],
  { atOnce, onProgress = () => undefined, isOver = () => false }: Pace,
  work: (each: Each) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const failures: unknown[] = [];
  const left = all.values();
  const worker = async () => {
    for (const each of left) {
      try {
        results.push(await work(each));
        onProgress(results.length / all.length);
      } catch (error) {
        failures.push(error);
      }
      if (failures.length > 0 || isOver()) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, worker));
  if (failures.length > 0) throw failures[0];
  return results;
}

type Patience = {
  readonly tries: number;
  /** The pause before the next try is a random part of this. */
  readonly longestPauseMs: number;
};

/** Tries until there is a result; undefined when the last try had none. A failure is thrown at once. */
export async function retry<Result>(
  { tries, longestPauseMs }: Patience,
  attempt: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  for (let left = tries; left > 0; left--) {
    const result = await attempt();
    if (result !== undefined) return result;
    if (left > 1) await pause(Math.random() * longestPauseMs);
  }
  return undefined;
}
