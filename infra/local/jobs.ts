import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { JOB_MINUTES, PUBLISHER, SCHEDULED_HANDLERS, WEBHOOKS } from '../jobs.ts';
import { functionName } from '../stack-names.ts';
import { isMeant, passRecords, runStream, type StreamHandler } from './table-stream.ts';

type JobFile = `functions/jobs/${string}.ts`;
type Job = (event: unknown, context: { getRemainingTimeInMillis(): number }) => Promise<unknown>;

type JobOptions = {
  /** Receives the errors of a run; the next run tries again. */
  readonly report: (line: string) => void;
  readonly directory: string;
};

const MINUTE_MS = 60_000;
// A local server seldom runs for hours, so no job waits for its whole interval after a start.
const FIRST_RUN_MS = MINUTE_MS;
// Lambda's longest.
const TIMEOUT_MS = 15 * MINUTE_MS;
const STOPPING_MS = 2_000;

/** Runs the stack's jobs in this process: those on a schedule, each never beside itself, and those on the table's stream. */
export function startJobs({ report, directory }: JobOptions): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();

  function run(file: JobFile, event: unknown): Promise<void> {
    const done = runJob(file, event)
      .then(() => undefined)
      .catch((error) => report(`${functionName(file)}: ${error instanceof Error ? error.stack : error}`))
      .finally(() => running.delete(done));
    running.add(done);
    return done;
  }

  async function repeat(file: JobFile, minutes: number): Promise<void> {
    for (let waitMs = FIRST_RUN_MS; await waited(waitMs, stopping.signal); waitMs = minutes * MINUTE_MS) {
      await run(file, {});
    }
  }

  for (const file of SCHEDULED_HANDLERS) void repeat(file, JOB_MINUTES[file]);
  const publish: StreamHandler = (event) => runJob(PUBLISHER.handler, event) as ReturnType<StreamHandler>;
  const stream = runStream(join(directory, 'stream-position.json'), async (reader) => {
    const batch = await passRecords(reader, { source: PUBLISHER, handler: publish });
    const events = batch.filter((record) => isMeant(record, WEBHOOKS));
    // A slow receiver does not hold the stream up: the next run finds what is left.
    if (events.length > 0) void run(WEBHOOKS.handler, { Records: events });
    return batch.length;
  });

  return {
    async stop(): Promise<void> {
      stopping.abort();
      await stream.stop();
      await Promise.race([Promise.all(running), pause(STOPPING_MS, undefined, { ref: false })]);
    },
  };
}

/** Runs a job, which is loaded when it first runs, so that the server starts without it. */
async function runJob(file: JobFile, event: unknown): Promise<unknown> {
  const endsAt = Date.now() + TIMEOUT_MS;
  const name = file.replace(/^functions\/jobs\/|\.ts$/g, '');
  const { handler }: { handler: Job } = await import(`../../functions/jobs/${name}.ts`);
  return handler(event, { getRemainingTimeInMillis: () => endsAt - Date.now() });
}

const waited = (waitMs: number, signal: AbortSignal): Promise<boolean> =>
  pause(waitMs, true, { signal }).catch(() => false);
