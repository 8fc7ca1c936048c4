import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { JOB_MINUTES } from '../job-schedules.ts';
import { functionName } from '../stack-names.ts';
import { PUBLISHER, type StreamSource, WEBHOOKS } from '../stream-jobs.ts';
import { runStream } from './stream/run-stream.ts';

type JobFile = `functions/jobs/${string}.ts`;
type StreamHandler = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;
type Job = (event: unknown, context: { getRemainingTimeInMillis(): number }) => Promise<unknown>;

type JobOptions = {
  /** Receives the errors of a run; the next run tries again. */
  readonly report: (line: string) => void;
  /** The folder in which the position in the table's stream is kept. */
  readonly directory: string;
};

const MINUTE_MS = 60_000;
// A local server seldom runs for hours, so no job waits for its whole interval after a start.
const FIRST_RUN_MS = MINUTE_MS;
// Lambda's longest.
const TIMEOUT_MS = 15 * MINUTE_MS;
const STOPPING_MS = 2_000;

/** Runs the stack's jobs in this process: those on a schedule, each never beside itself, and those on the table's stream. */
export function startJobs({ report, directory }: JobOptions) {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();

  async function runOnce(file: JobFile, event: unknown): Promise<void> {
    const endsAt = Date.now() + TIMEOUT_MS;
    try {
      const job = await loadJob(file);
      await job(event, { getRemainingTimeInMillis: () => endsAt - Date.now() });
    } catch (error) {
      report(`${functionName(file)}: ${error instanceof Error ? error.stack : error}`);
    }
  }

  function run(file: JobFile, event: unknown): Promise<void> {
    const done = runOnce(file, event).finally(() => running.delete(done));
    running.add(done);
    return done;
  }

  async function repeat(file: JobFile, minutes: number): Promise<void> {
    for (let waitMs = FIRST_RUN_MS; await waited(waitMs, stopping.signal); waitMs = minutes * MINUTE_MS) {
      await run(file, {});
    }
  }

  for (const [file, minutes] of Object.entries(JOB_MINUTES)) void repeat(file as JobFile, minutes);
  const follow = (source: StreamSource, handler: StreamHandler) =>
    runStream({ source, handler }, join(directory, `${functionName(source.handler)}.position.json`));
  const streams = [
    follow(
      PUBLISHER,
      async (event) => (await loadJob(PUBLISHER.handler))(event, NO_LIMIT) as ReturnType<StreamHandler>,
    ),
    // A slow receiver does not hold the stream up: what is left, the next run finds.
    follow(WEBHOOKS, async (event) => {
      void run(WEBHOOKS.handler, event);
      return { batchItemFailures: [] };
    }),
  ];

  return {
    /** Starts no more runs, and waits briefly for those that are under way. */
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all(streams.map((stream) => stream.stop()));
      await Promise.race([Promise.all(running), pause(STOPPING_MS, undefined, { ref: false })]);
    },
  };
}

const NO_LIMIT = { getRemainingTimeInMillis: () => TIMEOUT_MS };

/** Loads a job when it first runs, so that the server starts without it. */
async function loadJob(file: JobFile): Promise<Job> {
  const name = file.replace(/^functions\/jobs\/|\.ts$/g, '');
  const { handler }: { handler: Job } = await import(`../../functions/jobs/${name}.ts`);
  return handler;
}

/** Resolves with true after the time, or with false once the signal is aborted. */
const waited = (waitMs: number, signal: AbortSignal): Promise<boolean> =>
  pause(waitMs, true, { signal }).catch(() => false);
