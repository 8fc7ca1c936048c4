import { parseArgs } from 'node:util';
import * as z from 'zod';
import { date, email } from '../../shared/api/fields.ts';
import type { ValidationError } from '../../shared/domain/refusal.ts';
import { hasControls } from '../../shared/domain/text.ts';
import { toValidationErrors } from '../../shared/http/errors.ts';
import type { MessageCode } from '../../shared/messages/messages.ts';
import { say } from '../../shared/messages/say.ts';
import { parseSoughtPhone } from '../../shared/people/rules/roles.ts';
import { now } from '../../shared/runtime/clock.ts';
import { UsageError } from './errors.ts';

/** The id of a record; as an argument it needs a description for its validation error. */
export const recordId = z
  .string()
  .regex(/^(0|[1-9]\d{0,14})$/, 'not_an_integer' satisfies MessageCode)
  .transform(Number)
  .pipe(z.number().min(1))
  .meta({ title: 'id' });

export const orderId = recordId.describe('the id of an order');
export const clientId = recordId.describe('the id of a client');

/** The version of an order that one has seen; an order that has another one by now is not changed. */
export const version = recordId.meta({ title: 'number' }).optional();

export const emailAddress = email.meta({ title: 'e-mail' });

/** A phone, as it is looked for, as E.164. */
export const phoneNumber = z
  .string()
  .max(25)
  .transform((written) => parseSoughtPhone(written)?.e164 ?? '')
  .refine((e164) => e164 !== '', 'not_a_phone' satisfies MessageCode)
  .meta({ title: '+525512345678' });

export const month = z
  .string()
  .regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'not_a_month' satisfies MessageCode)
  .meta({ title: '2026-11' });

/** A day of the shop's calendar, of this century as its months. */
export const day = date
  .refine((written) => written.startsWith('20'), 'not_a_date' satisfies MessageCode)
  .meta({ title: '2026-11-23', format: 'date' });

const AGO_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function toInstant(written: unknown): unknown {
  const [, count, unit = ''] = /^(\d{1,4})([mhd])$/.exec(String(written)) ?? [];
  return count ? new Date(now().getTime() - Number(count) * (AGO_MS[unit] ?? 0)).toISOString() : written;
}

/** A time as RFC 3339 has it, or how long ago: 90m, 6h or 3d. */
export const instant = z
  .preprocess(
    toInstant,
    z.iso.datetime({ offset: true }).transform((written) => new Date(written)),
  )
  .meta({ title: '2026-11-23T18:00:00Z|6h' });

export function refuseReversedDays({ from = '', to }: { from?: string | undefined; to?: string | undefined }): void {
  if (to !== undefined && to < from) throw new UsageError('The last day must not be before the first.');
}

export function refuseNoChange(changes: Readonly<Record<string, unknown>>): void {
  if (Object.values(changes).every((change) => change === undefined || change === false))
    throw new UsageError('Give what is to be changed.');
}

/** A number of at most `maximum`, with the one that is taken if none is given. */
export const upTo = (maximum: number, preset: string) =>
  recordId.pipe(z.number().max(maximum)).prefault(preset).meta({ title: 'number' });

export const wholeNumber = z
  .string()
  .regex(/^[+-]?[1-9]\d{0,5}$/, 'not_an_integer' satisfies MessageCode)
  .transform(Number)
  .meta({ title: '±number' });

export const listLimit = upTo(1_000, '20');

// The name of a file is its bytes, whatever their form.
export const path = (title: string) =>
  z
    .string()
    .min(1)
    .max(4_096)
    .refine((written) => !hasControls(written), 'invalid_value' satisfies MessageCode)
    .meta({ title });

export const flag = z.boolean().default(false);

export const enabledState = z
  .enum(['yes', 'no'])
  .transform((written) => (written === 'yes' ? 'enabled' : 'disabled'))
  .optional();

/** Schemas by name: `firstName` is the option `--first-name` or the argument `<first name>`; `title` names its value. */
export type Fields = Readonly<Record<string, z.ZodType>>;

export type OneOf<Name = string> = { readonly names: readonly Name[]; readonly isRequired: boolean };

/** The words that may follow the name of a command: arguments in their order, of which the last may be a list, and options. */
type Syntax = ReturnType<typeof describeSyntax>;
export type Field = Syntax['options'][number];

export function describeSyntax(input: z.ZodObject<Fields>, positional: readonly string[], oneOf?: OneOf) {
  const { properties, required = [] } = z.toJSONSchema(input, { io: 'input' });
  const describe = (key: string) => {
    const schema: z.core.JSONSchema.BaseSchema = Object(properties?.[key]);
    const { type, title, enum: choices, default: preset, format, maxLength } = schema;
    const description = input.shape[key]?.description;
    return { key, type, title, choices, preset, format, maxLength, description, isRequired: required.includes(key) };
  };
  const options = Object.keys(input.shape).filter((key) => !positional.includes(key));
  return { input, args: positional.map(describe), options: options.map(describe), oneOf };
}

const splitWords = (key: string, separator: string): string =>
  key.replace(/[A-Z]/g, (letter) => separator + letter.toLowerCase());
const argumentName = (key: string): string => `<${splitWords(key, ' ')}>`;
const optionName = (key: string): string => `--${splitWords(key, '-')}`;

export function formatUsage({ args, options }: Syntax): string {
  const bracketed = (usage: string, isRequired: boolean) => (isRequired ? usage : `[${usage}]`);
  const names = args.map((argument) => bracketed(argumentUsage(argument), argument.isRequired));
  return [...names, ...options.map((option) => bracketed(optionUsage(option), option.isRequired))].join(' ');
}

const argumentUsage = ({ key, type }: Field): string => `${argumentName(key)}${type === 'array' ? '…' : ''}`;

function optionUsage({ key, type, title, choices, preset }: Field): string {
  if (type === 'boolean') return optionName(key);
  if (type === 'array') return `${optionName(key)} <${title}>…`;
  const value = title ? `<${title}${preset === undefined ? '' : `, ${preset}`}>` : choices?.join('|');
  return `${optionName(key)} ${value}`;
}

export const explainOptions = ({ options }: Syntax): string =>
  options
    .filter(({ description }) => description !== undefined)
    .map(({ key, description }) => `  ${optionName(key).padEnd(16)}  ${description}\n`)
    .join('');

type Written = Readonly<Record<string, unknown>>;

/** Parses and validates the words after the name of a command. Throws a UsageError that names everything that is wrong. */
export function readInput(words: readonly string[], syntax: Syntax): unknown {
  const { args, options } = syntax;
  const { values, positionals } = parseStrictly(words, options);
  const listed = args.at(-1)?.type === 'array' ? positionals.splice(args.length - 1) : [];
  const given = listed.length > 0 ? [...positionals, listed] : positionals;
  if (given.length > args.length) throw new UsageError(`There is an unexpected argument "${given[args.length]}".`);
  const written = [
    ...args.map(({ key }, at) => [key, given[at]]),
    ...options.map(({ key }) => [key, values[splitWords(key, '-')]]),
  ];
  return validateInput(Object.fromEntries(written), syntax);
}

function parseStrictly(words: readonly string[], fields: readonly Field[]) {
  const options = fields.map(({ key, type }) => {
    const written = { type: type === 'boolean' ? 'boolean' : 'string', multiple: type === 'array' } as const;
    return [splitWords(key, '-'), written] as const;
  });
  try {
    return parseArgs({ args: joinNegative(words), options: Object.fromEntries(options), allowPositionals: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // Node adds how to write an argument that begins with a dash, which no argument of ours does.
    throw new UsageError(message.replace(/\. To specify a positional.*/s, '.'));
  }
}

/** Joins `--by -2` to `--by=-2`, as Node takes no value that begins with a dash. */
const joinNegative = (words: readonly string[]): string[] =>
  words.flatMap((word, at) => {
    const isValue = (value = '', option = '') => /^-\d/.test(value) && /^--[^=]+$/.test(option);
    if (isValue(word, words[at - 1])) return [];
    return isValue(words[at + 1], word) ? [`${word}=${words[at + 1]}`] : [word];
  });

/** Validates input by its keys, as a program sends it: numbers may stand as such. Throws a UsageError as `readInput` does. */
export function readNamedInput(named: Written, syntax: Syntax): unknown {
  refuseOthers(named, Object.keys(syntax.input.shape));
  const written = Object.entries(named).map(([key, value]) => [
    key,
    Array.isArray(value) ? value.map(numberToText) : numberToText(value),
  ]);
  return validateInput(Object.fromEntries(written), syntax);
}

const numberToText = (value: unknown): unknown => (typeof value === 'number' ? String(value) : value);

/** Throws a UsageError with a validation error for each key of the input that is not one of these. */
export function refuseOthers(named: Written, keys: readonly string[]): void {
  const unknown = Object.keys(named).filter((key) => !keys.includes(key));
  if (unknown.length === 0) return;
  const errors = unknown.map((key): ValidationError => ({ code: 'unknown_field', path: [key] }));
  throw new UsageError(`There is no option ${LISTED.format(unknown.map(optionName))}.`, errors);
}

function validateInput(written: Written, syntax: Syntax): unknown {
  refuseUnlessOne(written, syntax);
  const read = syntax.input.safeParse(written);
  if (read.success) return read.data;
  const errors = toValidationErrors(read.error.issues, written);
  throw new UsageError(errors.map((error) => errorText(error, written, syntax)).join('\n'), errors);
}

const LISTED = new Intl.ListFormat('en-GB');

function refuseUnlessOne(written: Written, { args, oneOf }: Syntax): void {
  const given = oneOf?.names.filter((name) => written[name] !== undefined && written[name] !== false).length;
  if (!oneOf || given === 1 || (given === 0 && !oneOf.isRequired)) return;
  const names = oneOf.names.map((name) =>
    args.some(({ key }) => key === name) ? argumentName(name) : optionName(name),
  );
  throw new UsageError(`Give ${oneOf.isRequired ? 'exactly' : 'at most'} one of ${LISTED.format(names)}.`);
}

function errorText(error: ValidationError, written: Written, { args }: Syntax): string {
  const key = String(error.path[0]);
  const argument = args.find((each) => each.key === key);
  if (argument && error.code === 'required') return `${argumentName(key)} is missing.`;
  if (argument) return `${argumentName(key)} must be ${argument.description}, not "${written[key]}".`;
  const isControlled = error.code === 'invalid_value' && hasControls(String(written[key]));
  return `${optionName(key)}: ${isControlled ? 'It must have no control characters.' : say(error, 'en')}`;
}
