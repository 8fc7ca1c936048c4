import type { SchemaName } from './schemas.ts';
import { CATALOG_WORDS } from './words-catalog.ts';
import { ORDER_WORDS } from './words-orders.ts';
import { PEOPLE_WORDS } from './words-people.ts';

/** What a schema is, and what each of its fields says. */
export type Words = { readonly about: string; readonly fields: Readonly<Record<string, string>> };

/** What a field of this name means wherever a schema does not say otherwise. */
export const FIELD_WORDS: Readonly<Record<string, string>> = {
  id: 'Its identifier.',
  name: 'Its name.',
  created_at: 'When it was created.',
  updated_at: 'When it was last changed.',
  deleted_at: 'When it was removed; null while it is in use.',
  updated_by: 'The user who changed it last, by id.',
  count: 'How many results there are on all pages together.',
  next: 'The address of the next page; null on the last one.',
  previous: 'The address of the page before; null on the first one.',
  results: 'The results of this page.',
};

export const SCHEMA_WORDS: Readonly<Record<SchemaName, Words>> = {
  ...PEOPLE_WORDS,
  ...ORDER_WORDS,
  ...CATALOG_WORDS,
};
