import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { TABLE } from '../../../shared/store/keys.ts';
import { findWrongKeys } from '../../table-keys.ts';

/** There is a table with other keys. The message is a part of a sentence. */
export class FormerTable extends Error {}

const STREAM = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } as const;

/** `streamed`: what is written can be read from the table's stream. `plain`: without one, which costs the engine less. */
export type TableKind = 'streamed' | 'plain';

/** Creates the table with the keys of `shared/store/keys.ts`, unless it exists. Throws FormerTable if it has other keys. */
export async function createTable(name: string, kind: TableKind): Promise<void> {
  const client = new DynamoDBClient({});
  try {
    await client.send(
      new CreateTableCommand({
        TableName: name,
        BillingMode: 'PAY_PER_REQUEST',
        ...(kind === 'streamed' && { StreamSpecification: STREAM }),
        KeySchema: [
          { AttributeName: TABLE.partitionKey, KeyType: 'HASH' },
          { AttributeName: TABLE.sortKey, KeyType: 'RANGE' },
        ],
        AttributeDefinitions: [
          { AttributeName: TABLE.partitionKey, AttributeType: 'S' },
          { AttributeName: TABLE.sortKey, AttributeType: 'S' },
        ],
      }),
    );
    const timeToLive = { AttributeName: TABLE.timeToLive, Enabled: true };
    await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification: timeToLive }));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
    await useTable(client, name, kind);
  } finally {
    client.destroy();
  }
}

async function useTable(client: DynamoDBClient, name: string, kind: TableKind): Promise<void> {
  const { Table: table = {} } = await client.send(new DescribeTableCommand({ TableName: name }));
  const wrong = findWrongKeys(table);
  if (wrong) throw new FormerTable(`an older version wrote it: the table ${name} ${wrong}`);
  // Older versions made it without a stream.
  if (kind === 'plain' || table.LatestStreamArn) return;
  await client.send(new UpdateTableCommand({ TableName: name, StreamSpecification: STREAM }));
}
