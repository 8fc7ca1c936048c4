import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { readCounts } from '../../../shared/order/lists/counters.ts';
import { tableConfig } from '../../../shared/runtime/config.ts';
import type { Viewer } from '../../../shared/store/keys.ts';
import { openTable } from '../../../shared/store/table.ts';

/** Counts the orders in the table, including any that are missing from the lists. */
export async function countStoredOrders(): Promise<number> {
  const client = new DynamoDBClient();
  const scan = {
    TableName: tableConfig().TABLE_NAME,
    ConsistentRead: true,
    Select: 'COUNT',
    FilterExpression: 'begins_with(pk, :order) AND NOT begins_with(sk, :event)',
    ExpressionAttributeValues: { ':order': { S: 'ORDER#' }, ':event': { S: 'EVENT#' } },
  } as const;
  let count = 0;
  for await (const page of paginateScan({ client }, scan)) count += page.Count ?? 0;
  client.destroy();
  return count;
}

/** Returns the counters of a view by order status and payment status, as `{ 'approved unpaid': 2 }`. */
export async function countByStatuses(clientId: number, viewer: Viewer): Promise<Record<string, number>> {
  const { counts } = await readCounts(openTable(), { clientId, viewer });
  return Object.fromEntries(
    counts.map(({ orderStatus, paymentStatus, orders }) => [`${orderStatus} ${paymentStatus}`, orders]),
  );
}
