import type { Key } from './keys.ts';
import type { Item } from './table.ts';

type Changes = {
  /** Fields with their new values; undefined leaves one as it is. */
  readonly set?: Item;
  readonly add?: Item;
  readonly remove?: readonly string[];
  /** A condition, which `values` fills in. */
  readonly where?: string;
  readonly values?: Item;
};

/** Returns an update of an item. Each changed field is named by `#`, as some names are reserved. */
export function toUpdate(key: Key, { set = {}, add = {}, remove = [], where, values = {} }: Changes) {
  const changed = Object.keys(set).filter((field) => set[field] !== undefined);
  const added = Object.keys(add);
  const clauses = [
    { action: 'SET', terms: changed.map((field) => `#${field} = :${field}`) },
    { action: 'ADD', terms: added.map((field) => `#${field} :${field}`) },
    { action: 'REMOVE', terms: remove.map((field) => `#${field}`) },
  ].filter(({ terms }) => terms.length > 0);
  const filled = [
    ...changed.map((field) => [`:${field}`, set[field]]),
    ...added.map((field) => [`:${field}`, add[field]]),
  ];
  const all = { ...Object.fromEntries(filled), ...values };
  return {
    Key: key,
    UpdateExpression: clauses.map(({ action, terms }) => `${action} ${terms.join(', ')}`).join(' '),
    ...(where !== undefined && { ConditionExpression: where }),
    ExpressionAttributeNames: Object.fromEntries(
      [...changed, ...added, ...remove].map((field) => [`#${field}`, field]),
    ),
    // DynamoDB refuses an empty map.
    ...(Object.keys(all).length > 0 && { ExpressionAttributeValues: all }),
  };
}
