import { setTimeout as pause } from 'node:timers/promises';

/** What the work comes to, or `otherwise` when it takes longer; the work itself goes on and fails unheard. */
export async function within<Result>(ms: number, work: Promise<Result>, otherwise: Result): Promise<Result> {
  const timer = new AbortController();
  const patience = pause(Math.max(0, ms), otherwise, { signal: timer.signal });
  patience.catch(() => undefined);
  try {
    return await Promise.race([work, patience]);
  } finally {
    timer.abort();
  }
}
