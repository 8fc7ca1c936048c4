import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from 'aws-lambda';
import { handler as deliverWebhooks } from '../../functions/jobs/deliver-webhooks.ts';
import { handler as wakeWebhooks } from '../../functions/jobs/wake-webhooks.ts';

type LocalFunction = (event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>) => Promise<void>;

// The functions that others invoke, by their names on AWS.
const INVOKED: Readonly<Record<string, LocalFunction>> = { 'jobs-deliver-webhooks': deliverWebhooks };

const MINUTE_MS = 60_000;
const TIMEOUT_MS = 900_000;
const LEAVING_MS = 2_000;

/** Takes an event for a function, which then runs by itself; false if there is no such function. */
export type InvokeLocally = (name: string, event: unknown) => boolean;

/**
 * Runs functions as Lambda does when they are invoked asynchronously, and the schedule that retries webhooks. The schedule
 * waits while writes are stopped: it would not be stored what was sent.
 */
export function createLocalFunctions(report: (line: string) => void, areWritesStopped: () => boolean = () => false) {
  const running = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;

  function run(name: string, work: LocalFunction, event: unknown): void {
    const endsAt = Date.now() + TIMEOUT_MS;
    const done = work(event, { getRemainingTimeInMillis: () => endsAt - Date.now() })
      .catch((error: unknown) => report(`${name}: ${error instanceof Error ? error.stack : error}`))
      .finally(() => running.delete(done));
    running.add(done);
  }

  return {
    invoke(name: string, event: unknown): boolean {
      const known = INVOKED[name];
      // The schedule finds what waits.
      if (known && !areWritesStopped()) run(name, known, event);
      return known !== undefined;
    },
    start(): void {
      timer = setInterval(() => {
        if (!areWritesStopped()) run('jobs-wake-webhooks', wakeWebhooks, {});
      }, MINUTE_MS);
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      const leaving = new AbortController();
      const overdue = pause(LEAVING_MS, undefined, { signal: leaving.signal }).catch(() => undefined);
      await Promise.race([Promise.all(running), overdue]);
      leaving.abort();
    },
  };
}
