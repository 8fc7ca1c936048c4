import { parentPort, workerData } from 'node:worker_threads';
import { listRecordChanges, type RecordChange } from '../compare/record-changes.ts';
import { type Comparison, compareFiles, findLost } from './comparison.ts';

/** The two files that this thread compares. */
export type ComparedFiles = { readonly before: string; readonly after: string; readonly now: Date };

/** A comparison with the names of the records and the products that the later file does not know. */
export type NamedComparison = Comparison & {
  readonly records: readonly RecordChange[];
  readonly forgotten: readonly number[];
};

parentPort?.postMessage(compareNamed(workerData));

function compareNamed({ before, after, now }: ComparedFiles): NamedComparison | null {
  const comparison = compareFiles(before, after, now);
  if (comparison === null) return null;
  const records = listRecordChanges(before, after, comparison.difference);
  return { ...comparison, records, forgotten: findLost(before, after) };
}
