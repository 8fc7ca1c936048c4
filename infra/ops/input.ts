import { type ParseArgsConfig, parseArgs } from 'node:util';
import * as z from 'zod';
import { email } from '../../shared/api/fields.ts';
import { countEdits } from '../../shared/catalog/read/spelling.ts';
import { parseSoughtPhone } from '../../shared/domain/person.ts';
import type { ValidationError } from '../../shared/domain/refusal.ts';
import { hasControls } from '../../shared/domain/text.ts';
import { toValidationErrors } from '../../shared/http/validation.ts';
import type { MessageCode } from '../../shared/messages/messages.ts';
import { say } from '../../shared/messages/say.ts';
import { UsageError } from './errors.ts';
import { GLOBAL_OPTIONS } from './target.ts';

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

type Days = { readonly from?: string | undefined; readonly to?: string | undefined };

export function refuseReversedDays({ from = '', to }: Days): void {
  if (to !== undefined && to < from) throw new UsageError('--to: It must not be before --from.');
}

export function refuseNoChange(changes: Readonly<Record<string, unknown>>): void {
  if (Object.values(changes).every((change) => change === undefined || change === false))
    throw new UsageError('Give what is to be changed.');
}

/** A number of at most `maximum`, with the one that is taken if none is given. */
export const upTo = (maximum: number, preset: string) =>
  recordId.pipe(z.number().max(maximum)).prefault(preset).meta({ title: 'number' });

export const listLimit = upTo(1_000, '20');

export const path = (title: string) =>
  // The name of a file is its bytes, whatever their form.
  z
    .string()
    .min(1)
    .max(4_096)
    .refine((written) => !hasControls(written), 'invalid_value' satisfies MessageCode)
    .meta({ title });

export const flag = z.boolean().default(false);

/** Schemas by name: `firstName` is the option `--first-name` or the argument `<first name>`; `title` names its value. */
export type Fields = Readonly<Record<string, z.ZodType>>;

/** Options that exclude each other. */
export type OneOf<Name = string> = { readonly names: readonly Name[]; readonly isRequired: boolean };

export type Syntax = {
  readonly fields: Fields;
  /** The fields that are positional arguments, in their order; the last may be a list. The others are options. */
  readonly positional: readonly string[];
  readonly oneOf: OneOf | undefined;
};

const splitWords = (key: string, separator: string): string =>
  key.replace(/[A-Z]/g, (letter) => separator + letter.toLowerCase());
const argumentName = (key: string): string => `<${splitWords(key, ' ')}>`;
const optionName = (key: string): string => `--${splitWords(key, '-')}`;

const listOptions = ({ fields, positional }: Syntax): [string, z.ZodType][] =>
  Object.entries(fields).filter(([key]) => !positional.includes(key));

/** Describes a field as JSON Schema does. */
function describeField(schema: z.ZodType): z.core.JSONSchema.BaseSchema & { readonly isRequired: boolean } {
  const { properties, required } = z.toJSONSchema(z.object({ value: schema }), { io: 'input' });
  return { ...Object(properties?.value), isRequired: required !== undefined };
}

const isListField = (schema: z.ZodType | undefined): boolean =>
  schema !== undefined && describeField(schema).type === 'array';

/** Returns the configuration of `parseArgs` for the options of a command. */
export const parseOptions = (syntax: Syntax): NonNullable<ParseArgsConfig['options']> =>
  Object.fromEntries(
    listOptions(syntax).map(([key, schema]) => {
      const type = describeField(schema).type === 'boolean' ? 'boolean' : 'string';
      return [splitWords(key, '-'), { type, multiple: isListField(schema) }];
    }),
  );

/** Returns what follows the name of a command: `<folder> [--out <file>]`. */
export function formatUsage(syntax: Syntax): string {
  const { fields, positional, oneOf } = syntax;
  const bracketed = (text: string, schema: z.ZodType) => (describeField(schema).isRequired ? text : `[${text}]`);
  const words = positional.map((key) => {
    const schema = fields[key] ?? z.never();
    return bracketed(`${argumentName(key)}${isListField(schema) ? '…' : ''}`, schema);
  });
  const options = listOptions(syntax);
  const excluding = options.filter(([key]) => oneOf?.names.includes(key));
  const either = excluding.map(([key, schema]) => optionUsage(key, schema)).join(' | ');
  for (const [key, schema] of options) {
    if (!oneOf?.names.includes(key)) words.push(bracketed(optionUsage(key, schema), schema));
    else if (key === excluding[0]?.[0]) words.push(oneOf.isRequired ? `(${either})` : `[${either}]`);
  }
  return words.join(' ');
}

function optionUsage(key: string, schema: z.ZodType): string {
  const { type, title, enum: choices, default: preset } = describeField(schema);
  if (type === 'boolean') return optionName(key);
  if (type === 'array') return `${optionName(key)} <${title}>…`;
  const value = title ? `<${title}${preset === undefined ? '' : `, ${preset}`}>` : choices?.join('|');
  return `${optionName(key)} ${value}`;
}

const HELP_WIDTH = 18;

/** Returns a line of help for each option that has a description. */
export const explainOptions = (syntax: Syntax): string =>
  listOptions(syntax)
    .map(([key, schema]) => ({ name: optionName(key), text: schema.description }))
    .filter(({ text }) => text !== undefined)
    .map(({ name, text }) => `  ${name.padEnd(HELP_WIDTH - 2)}  ${text}\n`)
    .join('');

type Written = Readonly<Record<string, unknown>>;

/** Parses and validates the words after the name of a command. Throws a UsageError that names everything that is wrong. */
export function readInput(words: readonly string[], syntax: Syntax): unknown {
  const { values, positionals } = parseStrictly({
    args: [...words],
    options: parseOptions(syntax),
    allowPositionals: true,
  });
  const { fields, positional } = syntax;
  const listed = isListField(fields[positional.at(-1) ?? '']) ? positionals.splice(positional.length - 1) : [];
  const surplus = positionals[positional.length];
  if (surplus !== undefined) throw new UsageError(`There is an unexpected argument "${surplus}".`);
  const written = [
    ...positionals.map((word, index) => [positional[index], word]),
    ...(listed.length > 0 ? [[positional.at(-1), listed]] : []),
    ...listOptions(syntax).map(([key]) => [key, values[splitWords(key, '-')]]),
  ];
  return validateInput(Object.fromEntries(written), syntax);
}

/** Validates input by its keys, as a program sends it: numbers may stand as such. Throws a UsageError as `readInput` does. */
export function readNamedInput(named: Written, syntax: Syntax): unknown {
  refuseOthers(named, Object.keys(syntax.fields));
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
  refuseUnlessOne(written, syntax.oneOf);
  const read = z.object(syntax.fields).safeParse(written);
  if (read.success) return read.data;
  const errors = toValidationErrors(read.error.issues, written);
  throw new UsageError(errors.map((error) => errorText(error, written, syntax)).join('\n'), errors);
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

const MOST_EDITS = 2;
const LETTERS_PER_EDIT = 3;

/** Returns the name that is most like a text; undefined if none is like it. */
export function findNearest(text: string, names: readonly string[]): string | undefined {
  const mostEdits = Math.min(MOST_EDITS, Math.floor(text.length / LETTERS_PER_EDIT));
  const compared = [...names].sort().map((name) => ({ name, edits: countEdits(text, name) }));
  const near = compared.filter(({ edits }) => edits <= mostEdits);
  return near.sort((one, other) => one.edits - other.edits)[0]?.name;
}

const LISTED = new Intl.ListFormat('en-GB');

function refuseUnlessOne(written: Written, oneOf: OneOf | undefined): void {
  const given = oneOf?.names.filter((name) => written[name] !== undefined && written[name] !== false).length;
  if (!oneOf || given === 1 || (given === 0 && !oneOf.isRequired)) return;
  const count = oneOf.isRequired ? 'exactly' : 'at most';
  throw new UsageError(`Give ${count} one of ${LISTED.format(oneOf.names.map(optionName))}.`);
}

function errorText(error: ValidationError, written: Written, { fields, positional }: Syntax): string {
  const key = String(error.path[0]);
  if (!positional.includes(key)) return `${optionName(key)}: ${optionFault(error, written[key])}`;
  if (error.code === 'required') return `${argumentName(key)} is missing.`;
  return `${argumentName(key)} must be ${fields[key]?.description}, not "${written[key]}".`;
}

const optionFault = (error: ValidationError, value: unknown): string =>
  error.code === 'invalid_value' && hasControls(String(value))
    ? 'It must have no control characters.'
    : say(error, 'en');
