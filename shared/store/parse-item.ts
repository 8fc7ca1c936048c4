import type * as z from 'zod';
import type { Key } from './keys.ts';
import type { Item } from './table.ts';

/** A stored item that its schema refuses. `code` names its kind and the bad fields by their paths, never their values. */
export class InvalidItem extends Error {
  readonly code: string;
  constructor(kind: string, issues: readonly Pick<z.core.$ZodIssue, 'path'>[]) {
    super('a stored item does not parse');
    this.name = 'InvalidItem';
    this.code = `${kind}: ${issues.map(({ path }) => path.join('.')).join(', ')}`;
  }
}

/**
 * The format of stored records. A new field has a default in its schema and needs no new format; a field that changes its
 * meaning does, and parseItem is the place to convert older records. The former release must read what this one writes,
 * so one release reads the new format and the next writes it (infra/cloud/README.md, "Releases").
 */
const FORMAT = 1;

/** Returns the item of a record, which says its format. */
export const toItem = (key: Key, record: object): Item => ({ ...key, format: FORMAT, ...record });

/**
 * Parses an item as the table gave it, without its keys and format. Throws InvalidItem, which is answered as 500, also for
 * a record of a later format than this version of the service knows.
 */
export function parseItem<Schema extends z.ZodType>(schema: Schema, item: Item, kind: string): z.output<Schema> {
  if (item.format !== undefined && item.format !== FORMAT) throw new InvalidItem(kind, [{ path: ['format'] }]);
  const { success, data, error } = schema.safeParse(item);
  if (!success) throw new InvalidItem(kind, error.issues);
  return data;
}
