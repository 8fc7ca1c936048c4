import * as z from 'zod';
import { parseCents } from '../domain/money.ts';
import { hasControls, isReadable, isWhole, normalizeText } from '../domain/text.ts';
import type { MessageCode } from '../messages/messages.ts';

// The error of each check is a code of `shared/messages/messages.ts`.
type TextBounds = { readonly minimum?: 0 | 1; readonly maximum: number; readonly lines?: 'one' | 'several' };

const text = ({ minimum, maximum, lines }: TextBounds) => {
  const bounded = normalized(maximum).trim().max(maximum);
  const measured = minimum === undefined ? bounded : bounded.min(minimum, { abort: true });
  const sound = measured.refine((value) => isSound(value, lines), {
    error: 'invalid_value' satisfies MessageCode,
    abort: true,
  });
  return minimum === 1 ? sound.refine(isReadable, 'blank' satisfies MessageCode) : sound;
};

export const isSound = (value: string, lines: TextBounds['lines'] = 'one'): boolean =>
  isWhole(value) && !hasControls(value, lines);

// A character of NFC has up to four others in its longest spelling, and ignored characters do not count.
const MOST_WRITTEN = 4;
const MAX_IGNORED = 255;

/** A text as it is measured and stored (`domain/text.ts`), at most `maximum` characters. */
export const normalized = (maximum: number): z.ZodString =>
  z
    .string()
    .check(({ value: input, issues }) => {
      if (input.length <= MOST_WRITTEN * maximum + MAX_IGNORED) return;
      issues.push({ origin: 'string', inclusive: true, input, continue: false, code: 'too_big', maximum });
    })
    .overwrite(normalizeText);

/** A line of `1..maximum` characters after trimming, at least one of them visible. */
export const requiredText = (maximum: number) => text({ minimum: 1, maximum });
/** A line of up to `maximum` characters after trimming. */
export const optionalText = (maximum: number) => text({ minimum: 0, maximum });
export const shownText = (maximum: number) => z.string().max(maximum);
/** Chooses the text of a field that requests and answers share. */
export type Text = (maximum: number) => z.ZodString;
/** Several lines, up to `maximum` characters after trimming. */
export const lines = (maximum: number) => text({ minimum: 0, maximum, lines: 'several' });

/** The limit of texts for which the API states none. */
export const MAX_TEXT = 255;

export const plainText = text({ maximum: MAX_TEXT });
export const searchText = (maximum: number) => text({ maximum, lines: 'several' });
/** A file's name, which loses invalid characters later. */
export const fileName = normalized(MAX_TEXT)
  .max(MAX_TEXT)
  .refine(isWhole, 'invalid_value' satisfies MessageCode);

/** A field that may be omitted or null. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema
    .nullable()
    .transform((value) => value ?? undefined)
    .optional();

type Optional<Schema extends z.ZodType> = ReturnType<typeof optional<Schema>>;

export function withOptional<Fields extends z.ZodRawShape, const Names extends readonly (keyof Fields & string)[]>(
  fields: Fields,
  names: Names,
) {
  const changed = names.map((name) => [name, optional(fields[name] as z.ZodType)]);
  return { ...fields, ...Object.fromEntries(changed) } as Omit<Fields, Names[number]> & {
    [Name in Names[number]]: Optional<Extract<Fields[Name], z.ZodType>>;
  };
}

type ListBounds = {
  readonly minimum?: number;
  readonly maximum: number;
  /** A message of its own about too many elements, with `{maximum}`. */
  readonly tooMany?: MessageCode;
};
type List<Item extends z.ZodType> = z.ZodType<z.output<Item>[], z.input<Item>[]>;

/** Does not read the elements of an array with too many. */
export const list = <Item extends z.ZodType>(item: Item, { minimum, maximum, tooMany }: ListBounds) => {
  const limited = z.array(item).max(maximum);
  return z.preprocess(
    (input, { issues }) => {
      if (!Array.isArray(input) || input.length <= maximum) return input;
      const issue = { input, continue: false };
      if (tooMany) issues.push({ ...issue, code: 'custom', message: tooMany, params: { maximum } });
      else issues.push({ ...issue, code: 'too_big', origin: 'array', inclusive: true, maximum });
      return input;
    },
    minimum === undefined ? limited : limited.min(minimum),
  ) as unknown as List<Item>;
};

/** Describes the values of a field, each with its meaning, as a list in Markdown. */
export const explainChoices = (what: string, meanings: Readonly<Record<string, string>>): string =>
  [what, '', ...Object.entries(meanings).map(([value, meaning]) => `- \`${value}\`: ${meaning}`)].join('\n');

export const choice = <const Value extends string>(what: string, meanings: Readonly<Record<Value, string>>) =>
  z.enum(Object.keys(meanings) as Value[]).describe(explainChoices(what, meanings));

export const id = z.int();
export const count = z.int().min(0).max(32_767);
/** Any other path than a positive integer is not found. */
export const pathId = z
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .transform(Number)
  .meta({ type: 'integer', minimum: 1, maximum: 999_999_999_999_999, description: 'Identifier.' });

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isCalendarDate(value: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value);
  if (!match) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = month === 2 && isLeap ? 29 : (DAYS_IN_MONTH[month - 1] ?? 0);
  return year > 0 && day >= 1 && day <= days;
}

export const date = z
  .string()
  .refine(isCalendarDate, 'not_a_date' satisfies MessageCode)
  .meta({ format: 'date', maxLength: 10 });
export const zipcode = z
  .string()
  .regex(/^\d{5}$/, 'not_a_zipcode' satisfies MessageCode)
  .meta({ maxLength: 5 });
// One `@`, no blanks or control characters, and a domain with a dot, as SES delivers to.
const ADDRESS =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}$/;
const NOT_AN_EMAIL = 'not_an_email' satisfies MessageCode;
const toLowerCase = (text: string): string => text.toLowerCase();

const address = normalized(254).trim().max(254);

export const email = address.min(1).regex(ADDRESS, NOT_AN_EMAIL).transform(toLowerCase).meta({ format: 'email' });
export const emailOrEmpty = address
  .min(0)
  .regex(new RegExp(`^$|${ADDRESS.source}`), NOT_AN_EMAIL)
  .transform(toLowerCase);

/** Degrees as a string or a number, kept as text with six decimals, rounded half up. */
export const coordinate = (bound: 90 | 180) =>
  z
    .union(
      [
        z.number(),
        z
          .string()
          .regex(/^-?\d{1,3}(\.\d{1,30})?$/, { error: 'not_a_decimal' satisfies MessageCode, abort: true })
          .meta({ maxLength: 35 }),
      ],
      'not_a_decimal' satisfies MessageCode,
    )
    .refine((value) => Math.abs(Number(value)) <= bound, `coordinate_out_of_${bound}` satisfies MessageCode)
    .transform((value) => roundHalfUp(String(value), 6));

// Rounds decimal digits, since 19.4326085 is no binary fraction and its half must still round up.
function roundHalfUp(text: string, decimals: number): string {
  const plain = /e/i.test(text) ? Number(text).toFixed(20) : text;
  const negative = plain.startsWith('-');
  const [whole = '0', fraction = ''] = plain.replace('-', '').split('.');
  const truncated = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
  // Half up means towards the larger number: -99.1234565 becomes -99.123456.
  const rest = fraction.slice(decimals);
  const half = `5${'0'.repeat(Math.max(0, rest.length - 1))}`;
  const rounded = truncated + (negative ? BigInt(rest > half) : BigInt(rest >= '5'));
  const digits = rounded.toString().padStart(decimals + 1, '0');
  return `${negative && rounded > 0n ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

// 50 lines of 32,767 pieces at a catalog's highest price have 14 digits before the point.
const AMOUNT = /^\d{1,14}(\.\d{1,2})?$/;
const NOT_AN_AMOUNT = 'not_an_amount' satisfies MessageCode;

/** An amount in a request, as a string or a number with at most two decimals, read as cents. */
export const sentAmount = z
  .union(
    [z.number().min(0), z.string().regex(AMOUNT, NOT_AN_AMOUNT).meta({ maxLength: 17 })],
    'not_a_decimal' satisfies MessageCode,
  )
  .transform((input, { addIssue }) => {
    const cents = parseCents(String(input));
    if (cents === undefined) addIssue(NOT_AN_AMOUNT);
    return cents ?? z.NEVER;
  });

/** In an answer, with exactly two decimals. */
export const amount = z.string().regex(/^\d+\.\d{2}$/);
/** A difference of two amounts, possibly negative. */
export const difference = z.string().regex(/^-?\d+\.\d{2}$/);
/** A published rate or fee, with two to six decimals. */
export const rate = z.string().regex(/^\d+\.\d{2,6}$/);
/** A coordinate in an answer, with six decimals. */
export const degrees = z.string().regex(/^-?\d+\.\d{6}$/);
export const timestamp = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({ format: 'date-time' });

export const recordId = z.int().describe('Identifier.');
export const stamps = {
  created_at: timestamp.describe('Time of creation.'),
  updated_at: timestamp.describe('Time of the last change.'),
};
export const deletedAt = timestamp.nullable().describe('Time of removal; null while it is in use.');
export const updatedBy = z.int().nullable().describe('The user who changed it last, by id.');
