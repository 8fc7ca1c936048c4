import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';

let read = (): Date => new Date();

/** Returns the present time; everything that depends on the time asks here. */
export const now = (): Date => read();

/** Stops the clock at an instant, for tests; without one, the real time goes on. */
export function setClock(instant?: Date): void {
  read = instant ? () => new Date(instant) : () => new Date();
}

type Deadline = { readonly signal: AbortSignal; readonly endsAt: number };

const deadlines = new AsyncLocalStorage<Deadline>();

/** Runs the work of a request that has `leftMs`; its calls are cancelled by the signal, which its caller aborts then. */
export const runWithDeadline = <Result>(signal: AbortSignal, leftMs: number, work: () => Result): Result =>
  deadlines.run({ signal, endsAt: performance.now() + leftMs }, work);

/** Returns the whole milliseconds that the present request has left; Infinity for jobs and commands, which have no deadline. */
export const timeLeftMs = (): number =>
  // AbortSignal.timeout throws on a fraction.
  Math.floor((deadlines.getStore()?.endsAt ?? Number.POSITIVE_INFINITY) - performance.now());

/** Returns the option of a call to AWS that cancels it when the time of its request is over. */
export function callLimit(): { readonly abortSignal?: AbortSignal } {
  const deadline = deadlines.getStore();
  return deadline ? { abortSignal: deadline.signal } : {};
}

/** Waits for the work, or returns `otherwise` when it takes longer; the work then goes on, and its failure is ignored. */
export async function within<Result, Otherwise>(
  ms: number,
  work: Promise<Result>,
  otherwise: Otherwise,
): Promise<Result | Otherwise> {
  if (ms === Number.POSITIVE_INFINITY) return work;
  const timer = new AbortController();
  const timeout = pause(Math.max(0, ms), otherwise, { signal: timer.signal });
  timeout.catch(() => undefined);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    timer.abort();
  }
}
