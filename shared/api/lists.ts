import * as z from 'zod';
import type { MessageCode } from '../messages/messages.ts';
import { isSound, MAX_TEXT, normalized, searchText } from './fields.ts';

const MAX_LIMIT = 100;
export const MAX_SEARCH = 200;
export const MAX_FACET_VALUES = 100;
// A cursor contains the values that order its row, such as a folded name of up to 2.3 KB.
const MAX_CURSOR = 4_096;

// Longer texts are refused unread.
const shortText = (maximum = MAX_TEXT) => normalized(maximum).max(maximum, { abort: true });

type ListBounds = { readonly length: number; readonly values: number };

/** At most `length` characters with at most `values` comma-separated values; blank for none. */
const commaSeparated = ({ length, values }: ListBounds) =>
  shortText(length)
    .transform((text) => (text.trim() === '' ? [] : text.split(',').map((value) => value.trim())))
    .pipe(
      z
        .array(z.string())
        .max(values, { abort: true })
        .refine((list) => list.every((value) => value.length <= MAX_TEXT), {
          error: 'value_too_long' satisfies MessageCode,
          params: { maximum: MAX_TEXT },
          abort: true,
        }),
    );

// API Gateway limits path, query and headers to 10,240 bytes in total.
const MAX_LIST_TEXT = 8_000;
const MAX_LIST_VALUES = 500;

// Integers beyond the safe ones become the nearest safe one, which is no page or id.
const parseInteger = (text: string): number =>
  Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number(text), Number.MAX_SAFE_INTEGER));

// A query contains text; `meta` states the type of its value.
const pagingNumber = (standard: number, most = Number.MAX_SAFE_INTEGER) =>
  shortText()
    .regex(/^-?\d+$/, 'not_an_integer' satisfies MessageCode)
    .transform(parseInteger)
    .pipe(z.number().min(1))
    .transform((number) => Math.min(number, most))
    .default(standard)
    .meta({ type: 'integer', minimum: 1, default: standard });

export type OrderingTerm<Field extends string = string> = { readonly field: Field; readonly descending: boolean };

// No list is ordered by more than four fields, in two directions.
const MAX_TERMS = 8;

const ordering = <const Fields extends readonly [string, ...string[]]>(fields: Fields) =>
  commaSeparated({ length: MAX_TEXT, values: MAX_TERMS })
    .refine((terms) => terms.length > 0 && terms.every((term) => fields.includes(term.replace(/^-/, ''))), {
      error: 'unknown_ordering' satisfies MessageCode,
      params: { fields: fields.join(', ') },
    })
    .transform((terms) => dropRepeatedFields(terms.map(toTerm<Fields[number]>)))
    .meta({
      type: 'array',
      minItems: 1,
      maxItems: MAX_TERMS,
      items: { type: 'string', enum: fields.flatMap((field) => [field, `-${field}`]) },
    });

const toTerm = <Field extends string>(text: string): OrderingTerm<Field> => ({
  field: text.replace(/^-/, '') as Field,
  descending: text.startsWith('-'),
});

const dropRepeatedFields = <Field extends string>(terms: readonly OrderingTerm<Field>[]): OrderingTerm<Field>[] =>
  terms.filter(({ field }, index) => terms.findIndex((term) => term.field === field) === index);

/** The position after a row: the values that order it, in the order of the terms, then its id; empty at the beginning. */
export type Position = readonly (string | number | null)[];

const CURSOR =
  'Reads the list to its end, safely while it changes: empty to begin, then as in `next`, whose cursor goes on behind the ' +
  'last result. A result that keeps its place is neither skipped nor repeated. It is valid for the same caller, search, ' +
  'filters and ordering; `limit` may change. Not together with `page`; `previous` is null.';

export const pagingQuery = z.object({
  page: pagingNumber(1).describe('Number of the page.'),
  limit: pagingNumber(20, MAX_LIMIT).describe(`Results on a page; more than ${MAX_LIMIT} count as ${MAX_LIMIT}.`),
  cursor: normalized(MAX_CURSOR).max(MAX_CURSOR).optional().describe(CURSOR),
});

/** `standard`: the default order. `search`: the description of the search. */
export const listQuery = <const Fields extends readonly [string, ...string[]]>(
  fields: Fields,
  standard: `-${Fields[number]}` | Fields[number],
  search: string,
) =>
  z.object({
    ...pagingQuery.shape,
    search: searchText(MAX_SEARCH).default('').describe(search),
    ordering: ordering(fields)
      .prefault(standard)
      .meta({
        description: 'Fields to order by, most important first; `-` before a field reverses its order.',
        default: [standard],
      }),
  });

export const flag = z
  .string()
  .refine((value) => /^(true|false|1|0)$/i.test(value), 'not_a_boolean' satisfies MessageCode)
  .transform((value) => /^(true|1)$/i.test(value))
  .meta({ type: 'boolean' });

export const available = flag
  .optional()
  .describe('`true` leaves out what has no product that can be bought and is in stock.');

export const idFilter = shortText()
  .regex(/^-?\d+$/, 'not_an_integer' satisfies MessageCode)
  .transform(parseInteger)
  .meta({ type: 'integer' });

export const idsFilter = commaSeparated({ length: MAX_LIST_TEXT, values: MAX_LIST_VALUES })
  .refine((ids) => ids.every((text) => /^-?\d+$/.test(text)), 'not_integers' satisfies MessageCode)
  .transform((ids) => ids.map(parseInteger))
  .meta({ type: 'array', maxItems: MAX_LIST_VALUES, items: { type: 'integer' } });

export const textsFilter = commaSeparated({ length: MAX_LIST_TEXT, values: MAX_LIST_VALUES })
  .refine((texts) => texts.every((text) => isSound(text)), 'invalid_value' satisfies MessageCode)
  .meta({ type: 'array', maxItems: MAX_LIST_VALUES, items: { type: 'string', maxLength: MAX_TEXT } });

// JSON's numbers (RFC 8259, 6), also with leading zeros.
export const numberFilter = shortText()
  .regex(/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/, 'not_a_decimal' satisfies MessageCode)
  .meta({ type: 'number' });

export const choicesFilter = <const Choice extends string>(choices: readonly Choice[]) =>
  someChoices(choices, { length: MAX_LIST_TEXT, values: choices.length * 2 })
    .transform((list) => list as Choice[])
    .meta({ type: 'array', maxItems: choices.length * 2, items: { type: 'string', enum: choices } });

/** Each value at most once; a blank text counts as an omitted parameter. */
export const distinctChoices = <const Choice extends string>(choices: readonly Choice[]) =>
  someChoices(choices, { length: MAX_TEXT, values: choices.length })
    .refine((list) => new Set(list).size === list.length, 'repeated_value' satisfies MessageCode)
    .transform((list) => (list.length === 0 ? undefined : (list as Choice[])))
    .meta({ type: 'array', maxItems: choices.length, uniqueItems: true, items: { type: 'string', enum: choices } });

const someChoices = (choices: readonly string[], bounds: ListBounds) =>
  commaSeparated(bounds).refine((list) => list.every((value) => choices.includes(value)), {
    error: 'not_a_choice' satisfies MessageCode,
    params: { choices: choices.join(', ') },
    abort: true,
  });

/** `id`: the name in the OpenAPI document. `items`: their plural. `more`: the fields that only this page has. */
export const page = <Item extends z.ZodType, More extends z.ZodRawShape = Record<never, never>>(
  id: string,
  items: string,
  item: Item,
  more: More = {} as More,
) =>
  z
    .strictObject({
      count: z.int().min(0).describe('Number of results on all pages together.'),
      next: z.url().nullable().describe('Address of the next page; null on the last one.'),
      previous: z.url().nullable().describe('Address of the previous page; null on the first one.'),
      results: z.array(item).describe('The results of this page.'),
      ...more,
    })
    .meta({ id, description: `One page of ${items}.` });
