import * as z from 'zod';
import type { MessageCode } from '../messages/messages.ts';
import { bounded } from './fields.ts';

const MAX_LIMIT = 100;
const MAX_SEARCH = 200;

// An integer is one however long it is written; beyond the safe ones there is no page and no id.
const integerOf = (written: string): number =>
  Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number(written), Number.MAX_SAFE_INTEGER));

// What a query carries is text; `meta` says what the text stands for.
const wholeNumber = (standard: number) =>
  z
    .string()
    .regex(/^-?\d+$/, 'not_an_integer' satisfies MessageCode)
    .transform(integerOf)
    .pipe(z.number().min(1))
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

/** The parameters of every list; `fields` are those it can be ordered by, `standard` its order when none is asked for. */
export const listQuery = <const Fields extends readonly [string, ...string[]]>(
  fields: Fields,
  standard: `-${Fields[number]}` | Fields[number],
) =>
  z.object({
    page: wholeNumber(1).default(1),
    limit: wholeNumber(20)
      .transform((limit) => Math.min(limit, MAX_LIMIT))
      .default(20),
    search: bounded(z.string(), MAX_SEARCH).default(''),
    ordering: ordering(fields)
      .prefault(standard)
      .meta({ default: [standard] }),
  });

export const flag = z
  .string()
  .refine((value) => /^(true|false|1|0)$/i.test(value), 'not_a_boolean' satisfies MessageCode)
  .transform((value) => /^(true|1)$/i.test(value))
  .meta({ type: 'boolean' });

export const idFilter = z
  .string()
  .regex(/^-?\d+$/, 'not_an_integer' satisfies MessageCode)
  .transform(integerOf)
  .meta({ type: 'integer' });

export const idsFilter = z
  .string()
  .regex(/^\s*-?\d+\s*(,\s*-?\d+\s*)*$/, 'not_integers' satisfies MessageCode)
  .transform((value) => value.split(',').map(integerOf))
  .meta({ type: 'array', minItems: 1, items: { type: 'integer' } });

export const page = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    count: z.int().min(0),
    next: z.url().nullable(),
    previous: z.url().nullable(),
    results: z.array(item),
  });
