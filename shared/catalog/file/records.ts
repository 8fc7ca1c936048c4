import type { DatabaseSync } from 'node:sqlite';
import type { PublishedRecords, RecordKind } from './published.ts';

export type RecordReader = {
  one<Kind extends RecordKind>(kind: Kind, key: number | string): PublishedRecords[Kind] | undefined;
  /** Returns every record of a kind by ascending key. */
  all<Kind extends RecordKind>(kind: Kind): PublishedRecords[Kind][];
};

export function createRecordReader(database: DatabaseSync): RecordReader {
  const selectOne = database.prepare('SELECT content FROM records WHERE kind = ? AND key = ?');
  const selectAll = database.prepare('SELECT content FROM records WHERE kind = ? ORDER BY key');
  return {
    one(kind, key) {
      const content = selectOne.get(kind, key)?.content;
      return content === undefined ? undefined : JSON.parse(String(content));
    },
    all: (kind) => selectAll.all(kind).map(({ content }) => JSON.parse(String(content))),
  };
}

/** Returns records by their ids, in the order given. */
export function mapById<Item extends { readonly id: number }>(items: readonly Item[]): Map<number, Item> {
  return new Map(items.map((item) => [item.id, item]));
}
