import { DatabaseSync } from 'node:sqlite';

const DAY_SECONDS = 24 * 60 * 60;
// The engine may be writing.
const PATIENCE_MS = 5_000;

/**
 * Keeps writes to a table with a stream at the same speed. Dynoxide (1.2.1) has the records of all streams in one table of its
 * file, looks for their greatest number at each write, without an index, and removes none: 18 writes took 38 ms at 1,800 records
 * and 96 ms at 14,400; with the index 4 to 5 ms at any number.
 *
 * Records older than a day are removed, as DynamoDB does. The last one of each table stays: the next number is counted from
 * it, and readers of the stream continue behind the number that they remember.
 */
export function tendStreamRecords(file: string, now: Date): void {
  const oldest = Math.floor(now.getTime() / 1_000) - DAY_SECONDS;
  const database = new DatabaseSync(file, { timeout: PATIENCE_MS });
  try {
    database.exec(
      `CREATE INDEX IF NOT EXISTS _stream_records_by_number
         ON _stream_records (table_name, CAST(sequence_number AS INTEGER));
       DELETE FROM _stream_records WHERE created_at < ${oldest}
         AND id NOT IN (SELECT MAX(id) FROM _stream_records GROUP BY table_name)`,
    );
  } finally {
    database.close();
  }
}
