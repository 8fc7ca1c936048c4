import type * as z from 'zod';
import type { Item } from './table.ts';

/** A stored item that its schema refuses. `code` names its kind and the bad fields by their paths, never their values. */
class InvalidItem extends Error {
  readonly code: string;
  constructor(kind: string, issues: readonly z.core.$ZodIssue[]) {
    super('a stored item does not parse');
    this.name = 'InvalidItem';
    this.code = `${kind}: ${issues.map(({ path }) => path.join('.')).join(', ')}`;
  }
}

/** Parses an item as the table gave it, without its keys. Throws InvalidItem, which is answered as 500. */
export function parseItem<Schema extends z.ZodType>(schema: Schema, item: Item, kind: string): z.output<Schema> {
  const { success, data, error } = schema.safeParse(item);
  if (!success) throw new InvalidItem(kind, error.issues);
  return data;
}
