import * as z from 'zod';
import { coordinate } from '../../../api/fields.ts';
import { findStrayFormat, hasControls, isDoublyEncoded, isReadable, isWhole } from '../../../domain/text.ts';

// The types of fields in a catalog folder. Their messages, for operators, begin with "It".

type Lines = 'one' | 'several';

function describeFault(text: string, lines: Lines): string | undefined {
  if (!isWhole(text)) return 'It has half of a character';
  if (hasControls(text, lines))
    return `It has a control character${lines === 'one' ? '' : ' beside line ends and tabs'}`;
  const stray = findStrayFormat(text);
  if (stray !== undefined) return `It has a character that does not show (${stray})`;
  return isDoublyEncoded(text)
    ? 'It is encoded twice, as `Ã³` for `ó`: open its source as UTF-8 and save it anew'
    : undefined;
}

const refuseFault = (lines: Lines) =>
  z.check<string>(({ value: input, issues }) => {
    const message = describeFault(input, lines);
    if (message !== undefined) issues.push({ code: 'custom', input, message, continue: false });
  });

const text = (lines: Lines) =>
  z
    .string()
    .overwrite((value) => value.normalize('NFC'))
    .trim()
    .check(refuseFault(lines));

const readable = (line: z.ZodString) => line.refine(isReadable, 'It must have something to read');

export const limitedText = (minimum: 0 | 1, maximum: number) => {
  const limited = text('one').min(minimum, { abort: true }).max(maximum);
  return minimum === 0 ? limited : readable(limited);
};
// Orders keep copies of names, presentations and image addresses, and a DynamoDB item has at most 400 KB.
const MAX_NAME = 255;
const MAX_IMAGE = 500;
export const line = limitedText(0, MAX_NAME);
export const name = limitedText(1, MAX_NAME);
const severalLines = (maximum: number) => text('several').max(maximum).default('');
export const note = severalLines(2_000);
export const description = severalLines(10_000);
// The edge accepts ids of up to 15 digits in a path.
export const id = z
  .int('It must be a whole number')
  .min(1, 'It must be 1 or more')
  .max(999_999_999_999_999, 'It must have 15 digits or less');
export const optionalId = id.nullable().default(null);
export const yes = z.boolean().default(true);
export const no = z.boolean().default(false);
export const days = z.int().min(0).max(32_767).nullable().default(null);
export const zipcode = z.string().regex(/^\d{5}$/, 'It must be a zip code of 5 digits');

const DECIMAL_COMMA = /^-?\d+,\d+$/;

const explainSign =
  (sentence: string) =>
  ({ input }: { readonly input?: unknown }): string =>
    typeof input === 'string' && DECIMAL_COMMA.test(input) ? `${sentence}, whose decimal sign is the point` : sentence;

// Works on digits as written, so that no price becomes a binary fraction.
function decimal(whole: number, decimals: number) {
  const options = {
    error: explainSign(`It must be a decimal number from 0 with up to ${whole} digits and ${decimals} decimals`),
  };
  const pattern = new RegExp(`^(0|[1-9]\\d{0,${whole - 1}})(\\.\\d{1,${decimals}})?$`);
  const number = z.number().refine((value) => pattern.test(String(value)), options);
  return z
    .union([number, z.string().regex(pattern, options)], options)
    .transform((value) => withTwoDecimals(String(value)));
}

function withTwoDecimals(number: string): string {
  const [whole, fraction = ''] = number.split('.');
  return `${whole}.${fraction.padEnd(2, '0')}`;
}

// A sign, three digits, the point and 30 decimals.
const MAX_COORDINATE = 35;

export function degrees(bound: 90 | 180) {
  const options = { error: explainSign(`It must be a decimal number from -${bound} to ${bound}`) };
  const rounded = coordinate(bound);
  return z.union([z.number(), z.string().max(MAX_COORDINATE)], options).transform((input, context) => {
    const result = rounded.safeParse(input);
    if (result.success) return result.data;
    context.addIssue(options.error({ input }));
    return z.NEVER;
  });
}

// 50 lines of 32,767 pieces at the highest amount are still exact in cents.
export const amount = decimal(7, 2);
export const optionalAmount = amount.nullable().default(null);
export const rate = decimal(7, 6);

export const dateTime = z.iso
  .datetime({ offset: true, error: 'It must be a date-time with its offset, such as 2026-11-21T23:00:00Z' })
  .transform((time) => new Date(time).toISOString());
export const optionalDateTime = dateTime.nullable().default(null);

export const idList = z
  .array(id)
  .refine((ids) => new Set(ids).size === ids.length, 'It must not name the same id twice')
  .default([]);

const ADDRESS = /^(?:[a-z][a-z\d+.-]*:|\/\/)/i;
const HTTP_ADDRESS = /^https?:\/\/\S+$/i;
const CLIMBS = /(?:^|\/)\.\.(?:\/|$)|\\/;

function describeImageFault(path: string): string | undefined {
  const isPlace = ADDRESS.test(path)
    ? HTTP_ADDRESS.test(path) && URL.canParse(path)
    : path !== '' && path.trim() === path;
  if (!isPlace) return 'It must be a relative path or an http(s) address, without blanks around it';
  if (CLIMBS.test(path)) return 'It must have neither .. nor a backslash';
  return describeFault(path, 'one');
}

/** `describe` returns a sentence about a fault of the text, or undefined. */
export const checkedText = (describe: (text: string) => string | undefined, maximum: number, notAText?: string) =>
  z
    .string(notAText)
    .max(maximum)
    .superRefine((text, context) => {
      const message = describe(text);
      if (message !== undefined) context.addIssue(message);
    });

const describeOptionalImage = (path: string) => (path === '' ? undefined : describeImageFault(path));
export const optionalImage = checkedText(describeOptionalImage, MAX_IMAGE).default('');
export const image = checkedText(describeImageFault, MAX_IMAGE).describe(
  'A path below images/, or relative to the image base URL, or an absolute http(s) address',
);
