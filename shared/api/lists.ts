import * as z from 'zod';
import type { MessageCode } from '../messages/messages.ts';
import { isSound, MAX_TEXT, normalized, searchText } from './fields.ts';

const MAX_LIMIT = 100;
/** The most characters of a search. */
export const MAX_SEARCH = 200;
/** The values of a facet that an answer has at most. */
export const MAX_FACET_VALUES = 100;
// A cursor has the values by which its row is ordered, of which a folded name may have 2.3 KB.
const MAX_CURSOR = 4_096;

// Nothing looks into a text that is longer.
const shortText = (maximum = MAX_TEXT) => normalized(maximum).max(maximum, { abort: true });

type ListBounds = { readonly length: number; readonly values: number };

/** Values separated by commas: a text of at most `length` characters with at most so many short values, none if it is blank. */
const commaSeparated = ({ length, values }: ListBounds) =>
  shortText(length)
    .transform((written) => (written.trim() === '' ? [] : written.split(',').map((value) => value.trim())))
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

// API Gateway takes a path with its query and the headers up to 10,240 bytes together.
const MAX_LIST_TEXT = 8_000;
const MAX_LISTED = 500;

// Integers beyond the safe ones count as the nearest safe one, which no page or id has.
const parseInteger = (written: string): number =>
  Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number(written), Number.MAX_SAFE_INTEGER));

// A query carries text; `meta` says the type of the value that the text stands for.
const pagingNumber = (standard: number, most = Number.MAX_SAFE_INTEGER) =>
  shortText()
    .regex(/^-?\d+$/, 'not_an_integer' satisfies MessageCode)
    .transform(parseInteger)
    .pipe(z.number().min(1))
    .transform((number) => Math.min(number, most))
    .default(standard)
    .meta({ type: 'integer', minimum: 1, default: standard });

export type OrderingTerm<Field extends string = string> = { readonly field: Field; readonly descending: boolean };

// No list has more than four fields, each of which has two directions.
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

const toTerm = <Field extends string>(written: string): OrderingTerm<Field> => ({
  field: written.replace(/^-/, '') as Field,
  descending: written.startsWith('-'),
});

// A field that is repeated changes nothing.
const dropRepeatedFields = <Field extends string>(terms: readonly OrderingTerm<Field>[]): OrderingTerm<Field>[] =>
  terms.filter(({ field }, index) => terms.findIndex((term) => term.field === field) === index);

/**
 * The position behind a row of a list: the values that order the row, in the order of the terms, and then its id. It is
 * empty at the beginning of the list.
 */
export type Position = readonly (string | number | null)[];

const CURSOR =
  'Reads the list to its end, safely while it changes: empty to begin, then as in `next`, whose cursor goes on behind the ' +
  'last result. A result that keeps its place is neither skipped nor repeated. It is valid for the same caller, search, ' +
  'filters and ordering; `limit` may change. Not together with `page`; `previous` is null.';

/** The query of a list that is neither searched nor ordered. */
export const pagingQuery = z.object({
  page: pagingNumber(1).describe('Number of the page.'),
  limit: pagingNumber(20, MAX_LIMIT).describe(`Results on a page; more than ${MAX_LIMIT} count as ${MAX_LIMIT}.`),
  cursor: normalized(MAX_CURSOR).max(MAX_CURSOR).optional().describe(CURSOR),
});

/** Returns the query of a list from the fields that order it, its default order and the description of its search. */
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

export const idsFilter = commaSeparated({ length: MAX_LIST_TEXT, values: MAX_LISTED })
  .refine((ids) => ids.every((written) => /^-?\d+$/.test(written)), 'not_integers' satisfies MessageCode)
  .transform((ids) => ids.map(parseInteger))
  .meta({ type: 'array', maxItems: MAX_LISTED, items: { type: 'integer' } });

export const textsFilter = commaSeparated({ length: MAX_LIST_TEXT, values: MAX_LISTED })
  .refine((texts) => texts.every((text) => isSound(text)), 'invalid_value' satisfies MessageCode)
  .meta({ type: 'array', maxItems: MAX_LISTED, items: { type: 'string', maxLength: MAX_TEXT } });

// JSON's numbers (RFC 8259, 6), leading zeros besides.
export const numberFilter = shortText()
  .regex(/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/, 'not_a_decimal' satisfies MessageCode)
  .meta({ type: 'number' });

/** Some of these values. */
export const choicesFilter = <const Choice extends string>(known: readonly Choice[]) =>
  commaSeparated({ length: MAX_LIST_TEXT, values: known.length * 2 })
    .refine((list) => list.every((value) => known.includes(value as Choice)), {
      error: 'not_a_choice' satisfies MessageCode,
      params: { choices: known.join(', ') },
    })
    .transform((list) => list as Choice[])
    .meta({ type: 'array', maxItems: known.length * 2, items: { type: 'string', enum: known } });

/** Some of these values, each once at most; a blank text is the same as leaving the parameter out. */
export const distinctChoices = <const Choice extends string>(known: readonly Choice[]) =>
  commaSeparated({ length: MAX_TEXT, values: known.length })
    .refine((list) => list.every((value) => known.includes(value as Choice)), {
      error: 'not_a_choice' satisfies MessageCode,
      params: { choices: known.join(', ') },
      abort: true,
    })
    .refine((list) => new Set(list).size === list.length, 'repeated_value' satisfies MessageCode)
    .transform((list) => (list.length === 0 ? undefined : (list as Choice[])))
    .meta({ type: 'array', maxItems: known.length, uniqueItems: true, items: { type: 'string', enum: known } });

/**
 * Returns the schema of a page from its name in the OpenAPI document, the plural of its items, their schema and the
 * fields that only this page has.
 */
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
