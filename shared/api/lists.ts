import * as z from 'zod';
import type { MessageCode } from '../messages/messages.ts';
import { bounded } from './fields.ts';

const MAX_LIMIT = 100;
const MAX_SEARCH = 200;

// Integers of any length are accepted; those beyond the safe ones count as the nearest safe one, which no page or id has.
const parseInteger = (written: string): number =>
  Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number(written), Number.MAX_SAFE_INTEGER));

// A query carries text; `meta` says the type of the value that the text stands for.
const pagingNumber = (standard: number, most = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .regex(/^-?\d+$/, 'not_an_integer' satisfies MessageCode)
    .transform(parseInteger)
    .pipe(z.number().min(1))
    .transform((number) => Math.min(number, most))
    .default(standard)
    .meta({ type: 'integer', minimum: 1, default: standard });

export type OrderingTerm<Field extends string = string> = { readonly field: Field; readonly descending: boolean };

const ordering = <const Fields extends readonly [string, ...string[]]>(fields: Fields) =>
  z
    .string()
    .transform((written) => written.split(',').map((term) => term.trim()))
    .refine((terms) => terms.every((term) => fields.includes(term.replace(/^-/, ''))), {
      error: 'unknown_ordering' satisfies MessageCode,
      params: { fields: fields.join(', ') },
    })
    .transform((terms) =>
      terms.map(
        (term): OrderingTerm<Fields[number]> => ({
          field: term.replace(/^-/, '') as Fields[number],
          descending: term.startsWith('-'),
        }),
      ),
    )
    .meta({
      type: 'array',
      minItems: 1,
      items: { type: 'string', enum: fields.flatMap((field) => [field, `-${field}`]) },
    });

/** Returns the query of a list from the fields that order it, its default order and the description of its search. */
export const listQuery = <const Fields extends readonly [string, ...string[]]>(
  fields: Fields,
  standard: `-${Fields[number]}` | Fields[number],
  search: string,
) =>
  z.object({
    page: pagingNumber(1).describe('Number of the page.'),
    limit: pagingNumber(20, MAX_LIMIT).describe(`Results on a page; more than ${MAX_LIMIT} count as ${MAX_LIMIT}.`),
    search: bounded(z.string(), MAX_SEARCH).default('').describe(search),
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

export const idFilter = z
  .string()
  .regex(/^-?\d+$/, 'not_an_integer' satisfies MessageCode)
  .transform(parseInteger)
  .meta({ type: 'integer' });

export const idsFilter = z
  .string()
  .regex(/^\s*-?\d+\s*(,\s*-?\d+\s*)*$/, 'not_integers' satisfies MessageCode)
  .transform((value) => value.split(',').map(parseInteger))
  .meta({ type: 'array', minItems: 1, items: { type: 'integer' } });

/** Returns the schema of a page from its name in the OpenAPI document, the plural of its items and their schema. */
export const page = <Item extends z.ZodType>(id: string, items: string, item: Item) =>
  z
    .strictObject({
      count: z.int().min(0).describe('Number of results on all pages together.'),
      next: z.url().nullable().describe('Address of the next page; null on the last one.'),
      previous: z.url().nullable().describe('Address of the previous page; null on the first one.'),
      results: z.array(item).describe('The results of this page.'),
    })
    .meta({ id, description: `One page of ${items}.` });
