import type { DatabaseSync } from 'node:sqlite';
import type { CatalogFile } from '../folder/folder.ts';

/** Products and bases have tables of their own. */
export type RecordKind = Exclude<CatalogFile, 'bases' | 'products'>;

export type RecordReader = {
  one<Content>(kind: RecordKind, key: number | string): Content | undefined;
  /** By ascending key. */
  all<Content>(kind: RecordKind): Content[];
  byId<Content extends { readonly id: number }>(kind: RecordKind): Map<number, Content>;
  keys(kind: RecordKind): string[];
};

/** Reads records as they were stored; the caller knows which shape a kind was stored in. */
export function recordReader(database: DatabaseSync): RecordReader {
  const selectOne = database.prepare('SELECT content FROM records WHERE kind = ? AND key = ?');
  const selectAll = database.prepare('SELECT key, content FROM records WHERE kind = ? ORDER BY key');
  const all = <Content>(kind: RecordKind): Content[] =>
    selectAll.all(kind).map(({ content }) => JSON.parse(String(content)));
  return {
    one(kind, key) {
      const content = selectOne.get(kind, key)?.content;
      return content === undefined ? undefined : JSON.parse(String(content));
    },
    all,
    byId: <Content extends { readonly id: number }>(kind: RecordKind) =>
      new Map(all<Content>(kind).map((record) => [record.id, record])),
    keys: (kind) => selectAll.all(kind).map(({ key }) => String(key)),
  };
}
