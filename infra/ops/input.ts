import { type ParseArgsConfig, parseArgs } from 'node:util';
import * as z from 'zod';
import type { ValidationError } from '../../shared/domain/refusal.ts';
import { toValidationErrors } from '../../shared/http/validation.ts';
import type { MessageCode } from '../../shared/messages/messages.ts';
import { say } from '../../shared/messages/say.ts';

/** The schemas of arguments or options by name; `firstName` is `--first-name` as an option, `<first name>` as an argument. */
export type Fields = Readonly<Record<string, z.ZodType>>;

/** Options that exclude each other. */
export type OneOf<Name = string> = { readonly names: readonly Name[]; readonly isRequired: boolean };

type Syntax = { readonly positional: Fields; readonly options: Fields; readonly oneOf: OneOf | undefined };

/** The command was called wrongly: the message is printed with its usage, exit code 2. */
export class UsageError extends Error {}

/** The id of a record. As an option it is titled `id`; as an argument it needs a description for the validation error. */
export const recordId = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'not_an_integer' satisfies MessageCode)
  .transform(Number)
  .meta({ title: 'id' });

/** The `--limit` of a list. */
export const listLimit = recordId.pipe(z.number().max(1_000)).prefault('20').meta({ title: 'number' });

export const flag = z.boolean().default(false);

const inWords = (key: string, separator: string): string =>
  key.replace(/[A-Z]/g, (letter) => separator + letter.toLowerCase());
const argumentName = (key: string): string => `<${inWords(key, ' ')}>`;
const optionName = (key: string): string => `--${inWords(key, '-')}`;

type Property = z.core.JSONSchema.BaseSchema;

function propertyOf(schema: z.ZodType | undefined): Property & { readonly isRequired: boolean } {
  const { properties, required } = z.toJSONSchema(z.object({ value: schema ?? z.never() }), { io: 'input' });
  return { ...(properties?.value as Property), isRequired: required !== undefined };
}

/** The configuration of `parseArgs` for these options. */
export const parseOptions = (options: Fields): NonNullable<ParseArgsConfig['options']> =>
  Object.fromEntries(
    Object.entries(options).map(([key, schema]) => [
      inWords(key, '-'),
      { type: propertyOf(schema).type === 'boolean' ? 'boolean' : 'string' },
    ]),
  );

/** The usage of a command after its name: `<folder> [--out <file>]`. */
export function usageOf({ positional, options, oneOf }: Syntax): string {
  const bracketed = (text: string, isRequired: boolean) => (isRequired ? text : `[${text}]`);
  const parts = Object.entries(positional).map(([key, schema]) =>
    bracketed(argumentName(key), propertyOf(schema).isRequired),
  );
  for (const [key, schema] of Object.entries(options)) {
    if (!oneOf?.names.includes(key)) parts.push(bracketed(optionUsage(key, schema), propertyOf(schema).isRequired));
    else if (key === oneOf.names[0]) {
      const either = oneOf.names.map((name) => optionUsage(name, options[name])).join(' | ');
      parts.push(oneOf.isRequired ? `(${either})` : `[${either}]`);
    }
  }
  return parts.join(' ');
}

function optionUsage(key: string, schema: z.ZodType | undefined): string {
  const { type, title, enum: choices, default: preset } = propertyOf(schema);
  if (type === 'boolean') return optionName(key);
  const value = title ? `<${title}${preset === undefined ? '' : `, ${preset}`}>` : (choices ?? []).join('|');
  return `${optionName(key)} ${value}`;
}

/** Parses and validates the words after the name of a command. Throws a UsageError that names everything that is wrong. */
export function readInput(words: readonly string[], syntax: Syntax): unknown {
  const written = readWords(words, syntax);
  refuseBoth(written, syntax.oneOf);
  const read = z.object({ ...syntax.positional, ...syntax.options }).safeParse(written);
  if (read.success) return read.data;
  const errors = toValidationErrors(read.error.issues, written);
  throw new UsageError(errors.map((error) => errorText(error, written, syntax)).join('\n'));
}

type Written = Readonly<Record<string, unknown>>;

function readWords(words: readonly string[], { positional, options }: Syntax): Written {
  const { values, positionals } = parseWords(words, options);
  const names = Object.keys(positional);
  const surplus = positionals[names.length];
  if (surplus !== undefined) throw new UsageError(`unexpected argument "${surplus}"`);
  return Object.fromEntries([
    ...positionals.map((word, index) => [names[index], word]),
    ...Object.keys(options).map((key) => [key, values[inWords(key, '-')]]),
  ]);
}

function parseWords(words: readonly string[], options: Fields) {
  try {
    return parseArgs({ args: [...words], options: parseOptions(options), allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function refuseBoth(written: Written, oneOf: OneOf | undefined): void {
  if (!oneOf) return;
  const given = oneOf.names.filter((name) => written[name] !== undefined);
  const either = oneOf.names.map(optionName).join(' | ');
  if (given.length > 1) throw new UsageError(`one of ${either}, not both`);
  if (given.length === 0 && oneOf.isRequired) throw new UsageError(`one of ${either} is needed`);
}

function errorText(error: ValidationError, written: Written, { positional }: Syntax): string {
  const key = String(error.path[0]);
  if (!(key in positional)) return `${optionName(key)}: ${say(error, 'en')}`;
  if (error.code === 'required') return `${argumentName(key)} is missing`;
  return `${argumentName(key)} must be ${propertyOf(positional[key]).description}, not "${written[key]}"`;
}
