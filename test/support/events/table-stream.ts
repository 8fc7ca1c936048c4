import { handler as publish } from '../../../functions/jobs/publish-events.ts';
import { PUBLISHER } from '../../../infra/jobs.ts';
import type { TableStream } from '../../../infra/local/table-stream.ts';
import { passRecords, type StreamFunction, type StreamHandler } from '../../../infra/local/table-stream.ts';

/** Passes all that is written to the test's table behind the stream's position to a function. */
async function readThrough(stream: TableStream, job: StreamFunction): Promise<void> {
  while ((await passRecords(stream, job)).length > 0);
}

/** Passes all that is written to the test's table behind the stream's position to the publisher. */
export const publishEvents = (stream: TableStream, handler: StreamHandler = publish): Promise<void> =>
  readThrough(stream, { source: PUBLISHER, handler });
