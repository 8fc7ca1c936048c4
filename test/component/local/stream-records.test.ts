import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { maintainStreamRecords, startDynamoDb } from '../../../infra/local/engines/dynamodb.ts';
import { createTable } from '../../../infra/local/seed.ts';
import { freePorts } from '../../support/engines/ports.ts';

// The statement with which Dynoxide 1.2.1 numbers a new record.
const NEXT_NUMBER =
  'SELECT COALESCE(MAX(CAST(sequence_number AS INTEGER)), 0) + 1 FROM _stream_records WHERE table_name = ?';

it('the records of a stream are found by their number, and those of yesterday go but for the last', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'records-'));
  const { DYNAMODB_PORT } = await freePorts();
  const engine = await startDynamoDb({ directory, port: Number(DYNAMODB_PORT), report: () => undefined });
  process.env.AWS_ENDPOINT_URL_DYNAMODB = engine.url;
  const client = new DynamoDBClient();
  const database = new DatabaseSync(join(directory, 'dynoxide.db'));
  const put = (sk: string) =>
    client.send(new PutItemCommand({ TableName: 'streamed', Item: { pk: { S: 'ORDER#1' }, sk: { S: sk } } }));
  const numbers = () =>
    database
      .prepare('SELECT sequence_number FROM _stream_records ORDER BY id')
      .all()
      .map((row) => row.sequence_number);
  try {
    await createTable('streamed', 'streamed');
    for (const sk of ['a', 'b', 'c']) await put(sk);
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${NEXT_NUMBER}`).all('streamed');
    expect(plan.map(({ detail }) => detail)).toEqual([
      'SEARCH _stream_records USING COVERING INDEX _stream_records_by_number (table_name=?)',
    ]);
    expect(numbers()).toEqual(['1', '2', '3']);
    const hours = (count: number) => new Date(Date.now() + count * 3_600_000);
    maintainStreamRecords(join(directory, 'dynoxide.db'), hours(23));
    expect(numbers()).toEqual(['1', '2', '3']);
    maintainStreamRecords(join(directory, 'dynoxide.db'), hours(25));
    expect(numbers()).toEqual(['3']);
    await put('d');
    expect(numbers()).toEqual(['3', '4']);
  } finally {
    database.close();
    client.destroy();
    await engine.stop();
    await rm(directory, { recursive: true });
  }
});
