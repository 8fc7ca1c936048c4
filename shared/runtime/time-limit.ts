import { AsyncLocalStorage } from 'node:async_hooks';

const signals = new AsyncLocalStorage<AbortSignal>();

/** Does the work, of which every call that has `callLimit` ends with the signal. */
export const withinTimeLimit = <Result>(signal: AbortSignal, work: () => Result): Result => signals.run(signal, work);

/** For a call to AWS: it ends when there is no time left for the request that it is for. Jobs and commands have none. */
export function callLimit(): { readonly abortSignal?: AbortSignal } {
  const abortSignal = signals.getStore();
  return abortSignal ? { abortSignal } : {};
}
