import * as z from 'zod';

const MAX_LIMIT = 100;
const MAX_SEARCH = 200;

// An integer is one however long it is written; beyond the safe ones there is no page and no id.
const integerOf = (written: string): number =>
  Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number(written), Number.MAX_SAFE_INTEGER));

const wholeNumber = z
  .string()
  .regex(/^-?\d+$/, 'not_an_integer')
  .transform(integerOf)
  .pipe(z.number().min(1));

export type OrderingTerm<Field extends string = string> = { readonly field: Field; readonly descending: boolean };

const ordering = <const Fields extends readonly [string, ...string[]]>(fields: Fields) =>
  z
    .string()
    .transform((written) => written.split(',').map((term) => term.trim()))
    .refine((terms) => terms.every((term) => fields.includes(term.replace(/^-/, ''))), {
      error: 'unknown_ordering',
      params: { fields: fields.join(', ') },
    })
    .transform((terms) =>
      terms.map(
        (term): OrderingTerm<Fields[number]> => ({
          field: term.replace(/^-/, '') as Fields[number],
          descending: term.startsWith('-'),
        }),
      ),
    );

/** The parameters of every list; `fields` are those it can be ordered by, `standard` its order when none is asked for. */
export const listQuery = <const Fields extends readonly [string, ...string[]]>(
  fields: Fields,
  standard: `-${Fields[number]}` | Fields[number],
) =>
  z.object({
    page: wholeNumber.default(1),
    limit: wholeNumber.transform((limit) => Math.min(limit, MAX_LIMIT)).default(20),
    search: z.string().max(MAX_SEARCH).default(''),
    ordering: ordering(fields).prefault(standard),
  });

export const flag = z
  .string()
  .refine((value) => /^(true|false|1|0)$/i.test(value), 'not_a_boolean')
  .transform((value) => /^(true|1)$/i.test(value));

export const idFilter = z
  .string()
  .regex(/^-?\d+$/, 'not_an_integer')
  .transform(integerOf);

export const idsFilter = z
  .string()
  .regex(/^\s*-?\d+\s*(,\s*-?\d+\s*)*$/, 'not_integers')
  .transform((value) => value.split(',').map(integerOf));

export const page = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    count: z.int().min(0),
    next: z.url().nullable(),
    previous: z.url().nullable(),
    results: z.array(item),
  });
