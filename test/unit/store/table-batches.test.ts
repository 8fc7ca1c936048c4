import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { Table } from '../../../shared/store/table.ts';
import { openScriptedApi } from '../../support/engines/scripted-api.ts';

it('items without conditions are sent by 25, four batches at once', async () => {
  const { url: endpoint, heard } = await openScriptedApi({ status: 200, afterMs: 50 });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint, region: 'local', credentials });
  const table = new Table('pharmacy', DynamoDBDocumentClient.from(client));
  await table.putAll(Array.from({ length: 210 }, (_, number) => ({ pk: 'a', sk: String(number) })));
  const sizes = heard.map(({ body }) => JSON.parse(body).RequestItems.pharmacy.length);
  expect(sizes).toEqual([25, 25, 25, 25, 25, 25, 25, 25, 10]);
  // The fifth is sent when one of the first four has been answered.
  const [first, , , , fifth] = heard.map(({ at }) => at);
  expect(Number(fifth) - Number(first)).toBeGreaterThan(45);
});
