import { type ParseArgsConfig, parseArgs } from 'node:util';
import * as z from 'zod';
import { email } from '../../shared/api/fields.ts';
import { parsePhone } from '../../shared/domain/person.ts';
import type { ValidationError } from '../../shared/domain/refusal.ts';
import { toValidationErrors } from '../../shared/http/validation.ts';
import type { MessageCode } from '../../shared/messages/messages.ts';
import { say } from '../../shared/messages/say.ts';
import { findNearest } from './nearest.ts';
import { GLOBAL_OPTIONS } from './target/global-options.ts';

/** Schemas by name: `firstName` is the option `--first-name` or the argument `<first name>`; `title` names its value. */
export type Fields = Readonly<Record<string, z.ZodType>>;

/** Options that exclude each other. */
export type OneOf<Name = string> = { readonly names: readonly Name[]; readonly isRequired: boolean };

type Syntax = { readonly positional: Fields; readonly options: Fields; readonly oneOf: OneOf | undefined };

/** The command was called wrongly: the message is printed with its usage, exit code 2. */
export class UsageError extends Error {
  /** The validation errors that the message tells, by the keys of the input. */
  readonly errors: readonly ValidationError[];

  constructor(message: string, errors: readonly ValidationError[] = []) {
    super(message);
    this.errors = errors;
  }
}

/** The id of a record; as an argument it needs a description for its validation error. */
export const recordId = z
  .string()
  .regex(/^(0|[1-9]\d{0,14})$/, 'not_an_integer' satisfies MessageCode)
  .transform(Number)
  .pipe(z.number().min(1))
  .meta({ title: 'id' });

export const emailAddress = email.meta({ title: 'e-mail' });

/** A phone as E.164. */
export const phoneNumber = z
  .string()
  .max(25)
  .transform((written) => parsePhone(written)?.e164 ?? '')
  .refine((e164) => e164 !== '', 'not_a_phone' satisfies MessageCode)
  .meta({ title: '+525512345678' });

/** A month of the shop's calendar. */
export const month = z
  .string()
  .regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'not_a_month' satisfies MessageCode)
  .meta({ title: '2026-11' });

const FIRST_DAY = '1970-01-01';
// The day after 9999-12-31 has a year of another form, which neither sorts nor parses as the others do.
const LAST_DAY = '9990-12-31';

/** A day of the shop's calendar. */
export const day = z.iso
  .date({ abort: true })
  .refine((date) => date >= FIRST_DAY, {
    error: 'too_small' satisfies MessageCode,
    params: { minimum: FIRST_DAY },
  })
  .refine((date) => date <= LAST_DAY, { error: 'too_big' satisfies MessageCode, params: { maximum: LAST_DAY } })
  .meta({ title: '2026-11-23' });

/** Throws a UsageError if the last of two days is before the first. */
export function refuseReversedDays({
  from = '',
  to,
}: {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}): void {
  if (to !== undefined && to < from) throw new UsageError('--to: It must not be before --from.');
}

/** The `--limit` of a list. */
export const listLimit = recordId.pipe(z.number().max(1_000)).prefault('20').meta({ title: 'number' });

export const flag = z.boolean().default(false);

const splitWords = (key: string, separator: string): string =>
  key.replace(/[A-Z]/g, (letter) => separator + letter.toLowerCase());
const argumentName = (key: string): string => `<${splitWords(key, ' ')}>`;
const optionName = (key: string): string => `--${splitWords(key, '-')}`;

/** Describes a field as JSON Schema does. */
function describeField(schema: z.ZodType): z.core.JSONSchema.BaseSchema & { readonly isRequired: boolean } {
  const { properties, required } = z.toJSONSchema(z.object({ value: schema }), { io: 'input' });
  return { ...Object(properties?.value), isRequired: required !== undefined };
}

/** Returns the configuration of `parseArgs` for these options. */
export const parseOptions = (options: Fields): NonNullable<ParseArgsConfig['options']> =>
  Object.fromEntries(
    Object.entries(options).map(([key, schema]) => {
      const type = describeField(schema).type === 'boolean' ? 'boolean' : 'string';
      return [splitWords(key, '-'), { type }];
    }),
  );

/** Returns what follows the name of a command: `<folder> [--out <file>]`. */
export function formatUsage({ positional, options, oneOf }: Syntax): string {
  const bracketed = (text: string, schema: z.ZodType) => (describeField(schema).isRequired ? text : `[${text}]`);
  const words = Object.entries(positional).map(([key, schema]) => bracketed(argumentName(key), schema));
  const excluding = Object.entries(options).filter(([key]) => oneOf?.names.includes(key));
  const either = excluding.map(([key, schema]) => optionUsage(key, schema)).join(' | ');
  for (const [key, schema] of Object.entries(options)) {
    if (!oneOf?.names.includes(key)) words.push(bracketed(optionUsage(key, schema), schema));
    else if (key === oneOf.names[0]) words.push(oneOf.isRequired ? `(${either})` : `[${either}]`);
  }
  return words.join(' ');
}

function optionUsage(key: string, schema: z.ZodType): string {
  const { type, title, enum: choices, default: preset } = describeField(schema);
  if (type === 'boolean') return optionName(key);
  const value = title ? `<${title}${preset === undefined ? '' : `, ${preset}`}>` : choices?.join('|');
  return `${optionName(key)} ${value}`;
}

/** Parses and validates the words after the name of a command. Throws a UsageError that names everything that is wrong. */
export const readInput = (words: readonly string[], syntax: Syntax): unknown =>
  validateInput(parseWords(words, syntax), syntax);

/** Validates input by its keys, as a program sends it: numbers may stand as such. Throws a UsageError as `readInput` does. */
export function readNamedInput(named: Written, syntax: Syntax): unknown {
  refuseOthers(named, Object.keys({ ...syntax.positional, ...syntax.options }));
  const written = Object.entries(named).map(([key, value]) => [key, typeof value === 'number' ? String(value) : value]);
  return validateInput(Object.fromEntries(written), syntax);
}

/** Throws a UsageError with a validation error for each key of the input that is not one of these. */
export function refuseOthers(named: Written, keys: readonly string[]): void {
  const unknown = Object.keys(named).filter((key) => !keys.includes(key));
  if (unknown.length === 0) return;
  const errors = unknown.map((key): ValidationError => ({ code: 'unknown_field', path: [key] }));
  throw new UsageError(`There is no option ${LISTED.format(unknown.map(optionName))}.`, errors);
}

function validateInput(written: Written, syntax: Syntax): unknown {
  refuseUnlessOne(written, syntax.oneOf);
  const read = z.object({ ...syntax.positional, ...syntax.options }).safeParse(written);
  if (read.success) return read.data;
  const errors = toValidationErrors(read.error.issues, written);
  throw new UsageError(errors.map((error) => errorText(error, written, syntax)).join('\n'), errors);
}

type Written = Readonly<Record<string, unknown>>;

function parseWords(words: readonly string[], { positional, options }: Syntax): Written {
  const config = { args: [...words], options: parseOptions(options), allowPositionals: true };
  const { values, positionals } = parseStrictly(config);
  const names = Object.keys(positional);
  const surplus = positionals[names.length];
  if (surplus !== undefined) throw new UsageError(`There is an unexpected argument "${surplus}".`);
  return Object.fromEntries([
    ...positionals.map((word, index) => [names[index], word]),
    ...Object.keys(options).map((key) => [key, values[splitWords(key, '-')]]),
  ]);
}

function parseStrictly<Config extends ParseArgsConfig>(config: Config) {
  try {
    return parseArgs(config);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [, unknown] = /^Unknown option '--([^']+)'/.exec(message) ?? [];
    const near = unknown && findNearest(unknown, [...Object.keys(config.options ?? {}), ...GLOBAL_OPTIONS]);
    // Node adds how to write an argument that begins with a dash, which no argument of ours does.
    const complaint = message.replace(/\. To specify a positional.*/s, '.');
    throw new UsageError(near ? `${complaint} Did you mean --${near}?` : complaint);
  }
}

const LISTED = new Intl.ListFormat('en-GB');

function refuseUnlessOne(written: Written, oneOf: OneOf | undefined): void {
  const given = oneOf?.names.filter((name) => written[name] !== undefined).length;
  if (!oneOf || given === 1 || (given === 0 && !oneOf.isRequired)) return;
  const count = oneOf.isRequired ? 'exactly' : 'at most';
  throw new UsageError(`Give ${count} one of ${LISTED.format(oneOf.names.map(optionName))}.`);
}

const optionFault = (error: ValidationError, value: unknown): string =>
  error.code === 'invalid_value' && /\p{Cc}/u.test(String(value))
    ? 'It must have no control characters.'
    : say(error, 'en');

function errorText(error: ValidationError, written: Written, { positional }: Syntax): string {
  const key = String(error.path[0]);
  const schema = positional[key];
  if (!schema) return `${optionName(key)}: ${optionFault(error, written[key])}`;
  if (error.code === 'required') return `${argumentName(key)} is missing.`;
  return `${argumentName(key)} must be ${describeField(schema).description}, not "${written[key]}".`;
}
