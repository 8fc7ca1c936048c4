import { sideBySide } from '../runtime/async.ts';
import { logError } from '../runtime/log.ts';

/** Counts by outcome, including `failed`. */
export type Outcomes = Readonly<Record<string, number>>;

const AT_ONCE = 5;

type DueRow = { readonly orderId: number };
type Work<Row> = (row: Row) => Promise<string | readonly string[]>;

/** Runs a job's work on each order, some at a time, until the time is up. A failure is logged and counted as `failed`. */
export async function processInBatches<Row extends DueRow>(
  rows: readonly Row[],
  timeoutMs: number,
  work: Work<Row>,
  atOnce = AT_ONCE,
): Promise<Outcomes> {
  const end = Date.now() + timeoutMs;
  const pace = { atOnce, isOver: () => Date.now() >= end };
  const outcomes = await sideBySide(rows, pace, (row) => runOne(row, work));
  const counts: Record<string, number> = {};
  for (const outcome of outcomes.flat()) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

async function runOne<Row extends DueRow>(row: Row, work: Work<Row>): Promise<readonly string[]> {
  try {
    return [await work(row)].flat();
  } catch (error) {
    logError('work on an order failed', error, { orderId: row.orderId });
    return ['failed'];
  }
}
