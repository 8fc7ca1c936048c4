import type * as z from 'zod';
import type { Key } from './keys.ts';
import type { Item } from './table.ts';

/** A stored item that does not match its schema. `code` contains its kind and the paths of invalid fields, never values. */
export class InvalidItem extends Error {
  readonly code: string;
  constructor(kind: string, issues: readonly Pick<z.core.$ZodIssue, 'path'>[]) {
    super('a stored item does not parse');
    this.name = 'InvalidItem';
    this.code = `${kind}: ${issues.map(({ path }) => path.join('.')).join(', ')}`;
  }
}

/**
 * The format of stored records. A new field needs a default, not a new format; a field that changes its meaning needs one, and
 * parseItem then converts older records. The former release must read the new one's records, so one release reads a new format
 * and the next writes it (infra/cloud/README.md, "Releases").
 */
const FORMAT = 1;

export const toItem = (key: Key, record: object): Item => ({ ...key, format: FORMAT, ...record });

/** Parses an item without its keys and format. Throws InvalidItem (answered with 500), also for a later format. */
export function parseItem<Schema extends z.ZodType>(schema: Schema, item: Item, kind: string): z.output<Schema> {
  if (item.format !== undefined && item.format !== FORMAT) throw new InvalidItem(kind, [{ path: ['format'] }]);
  const { success, data, error } = schema.safeParse(item);
  if (!success) throw new InvalidItem(kind, error.issues);
  return data;
}
