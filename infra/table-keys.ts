import type { TableDescription } from '@aws-sdk/client-dynamodb';
import { TABLE } from '../shared/store/keys.ts';

/** The keys of the table, as findings name them. */
export const TABLE_KEYS = `${TABLE.partitionKey}, ${TABLE.sortKey}`;

/**
 * Returns what can never be changed of a table and differs from the code, undefined if nothing does. A local index cannot
 * be removed, limits a partition to 10 GB and keeps DynamoDB from splitting it.
 */
export function findWrongKeys({ KeySchema = [], LocalSecondaryIndexes = [] }: TableDescription): string | undefined {
  const keys = KeySchema.map(({ AttributeName }) => AttributeName).join(', ');
  if (keys !== TABLE_KEYS) return `is keyed by ${keys}`;
  return LocalSecondaryIndexes.length > 0 ? 'has local indexes' : undefined;
}
