import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod';
import type { Contract } from '../api/contract.ts';
import type { ValidationError } from '../domain/refusal.ts';
import { isMessageCode, type Message, type PlainCode } from '../messages/messages.ts';

type Issue = z.core.$ZodIssue;
type Path = ValidationError['path'];

const WRONG_TYPE: Readonly<Record<string, PlainCode>> = {
  string: 'not_text',
  number: 'not_a_number',
  int: 'not_an_integer',
  boolean: 'not_a_boolean',
  object: 'not_an_object',
  array: 'not_an_array',
};

/**
 * Returns every error of an input with its path. A value of the wrong type has no other errors, and of two broken bounds
 * of one kind only the later, narrower one is reported.
 */
export function toValidationErrors(issues: readonly Issue[], input: unknown): ValidationError[] {
  const mistyped = new Set<string>();
  const errors = new Map<string, ValidationError>();
  for (const issue of issues.flatMap(expandUnion)) {
    const path = issue.path as Path;
    const place = JSON.stringify(path);
    if (mistyped.has(place)) continue;
    if (issue.code === 'invalid_type') mistyped.add(place);
    const error = { path, ...toMessage(issue, valueAt(input, path)) };
    errors.set(`${place} ${error.code}`, error);
  }
  return [...errors.values()];
}

/** Replaces the issue of a union by those of the option that has the type of the input, if there is one. */
function expandUnion(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const isChosen = (issues: readonly Issue[]) =>
    !issues.some(({ code, path }) => code === 'invalid_type' && !path.length);
  const chosen = issue.errors.find(isChosen);
  return chosen?.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })) ?? [issue];
}

export function valueAt(input: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => (value as Record<string | number, unknown> | undefined)?.[step], input);
}

function toMessage(issue: Issue, value: unknown): Message {
  if (value === undefined) return { code: 'required' };
  if (value === null) return { code: 'not_null' };
  // A rule of a contract has a message code in place of a text, and the values of the message as its parameters.
  if (isMessageCode(issue.message)) return { code: issue.message, values: readParams(issue) } as Message;
  if (issue.code === 'invalid_type') return { code: WRONG_TYPE[issue.expected] ?? 'invalid_value' };
  if (issue.code === 'too_small') return belowMinimum(issue.origin, Number(issue.minimum));
  if (issue.code === 'too_big') return aboveMaximum(issue.origin, Number(issue.maximum));
  if (issue.code === 'invalid_value') return { code: 'not_a_choice', values: { choices: issue.values.join(', ') } };
  return { code: 'invalid_value' };
}

const readParams = (issue: Issue) => (issue.code === 'custom' ? issue.params : undefined);

function belowMinimum(origin: string, minimum: number): Message {
  if (origin === 'string' && minimum === 1) return { code: 'blank' };
  if (origin === 'string') return { code: 'too_short', values: { minimum } };
  return { code: origin === 'array' ? 'too_few' : 'too_small', values: { minimum } };
}

function aboveMaximum(origin: string, maximum: number): Message {
  if (origin === 'string') return { code: 'too_long', values: { maximum } };
  return { code: origin === 'array' ? 'too_many' : 'too_big', values: { maximum } };
}

type Schema = z.core.$ZodType;

/** True for a parameter that the API description calls an array, whose values are sent with commas between them. */
function isList(schema: Schema): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return z.globalRegistry.get(schema)?.type === 'array' || ('innerType' in def && isList(def.innerType));
}

const isListParameter = (query: z.ZodObject | undefined, name: string): boolean =>
  query !== undefined && Object.hasOwn(query.shape, name) && isList(query.shape[name]);

type SentQuery = Pick<APIGatewayProxyEvent, 'queryStringParameters' | 'multiValueQueryStringParameters'>;

/** Returns the parameters of a query: lists joined from all that are sent, as most generated clients repeat them, and the last one of any other. */
export function readQuery(
  query: z.ZodObject | undefined,
  { queryStringParameters, multiValueQueryStringParameters }: SentQuery,
): Record<string, string | undefined> {
  const lists = Object.entries(multiValueQueryStringParameters ?? {}).filter(([name]) => isListParameter(query, name));
  const joined = lists.map(([name, values = []]) => [name, values.filter((value) => value.trim() !== '').join(',')]);
  return { ...queryStringParameters, ...Object.fromEntries(joined) };
}

/** Finds the parameters and body fields of a request that its contract does not have, and the parameters that are sent twice. */
export function* findIgnored({ query, body }: Contract, event: APIGatewayProxyEvent): Generator<ValidationError> {
  const values = event.multiValueQueryStringParameters ?? {};
  for (const name of Object.keys(event.queryStringParameters ?? {})) {
    if (!Object.hasOwn(query?.shape ?? {}, name)) yield { path: [shorten(name)], code: 'unknown_parameter' };
    else if ((values[name]?.length ?? 1) > 1 && !isListParameter(query, name))
      yield { path: [name], code: 'repeated_parameter' };
  }
  if (body) for (const path of findUnknown(body, event.body, [])) yield { path, code: 'unknown_field' };
}

/** Finds the fields that a schema does not have, at any depth; those of an object come before those inside of its fields. */
function* findUnknown(schema: Schema, input: unknown, path: Path): Generator<Path> {
  const def = unwrap(schema);
  if (def.type === 'object' && isObject(input)) {
    const names = Object.keys(input);
    for (const name of names) if (!Object.hasOwn(def.shape, name)) yield [...path, shorten(name)];
    for (const name of names) {
      const field = Object.hasOwn(def.shape, name) && def.shape[name];
      if (field) yield* findUnknown(field, input[name], [...path, name]);
    }
  }
  if (def.type === 'array' && Array.isArray(input)) {
    for (const [index, element] of input.entries()) yield* findUnknown(def.element, element, [...path, index]);
  }
  // Of the kinds of value that a union takes, one is an object.
  if (def.type === 'union') for (const option of def.options) yield* findUnknown(option, input, path);
}

type Def = z.core.$ZodTypes['_zod']['def'];

/** Returns the definition of the values that a schema takes, without what makes them optional or transforms them. */
function unwrap(schema: Schema): Def {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      return unwrap(def.innerType);
    case 'pipe':
      // The schema of a value that is prepared stands behind its preparation.
      return unwrap(def.in._zod.def.type === 'transform' ? def.out : def.in);
    default:
      return def;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

// The answer repeats the names that a caller made up, and shows so much of each.
const SHOWN_CHARACTERS = 100;

const shorten = (name: string): string =>
  name.length > SHOWN_CHARACTERS ? `${name.slice(0, SHOWN_CHARACTERS)}…`.toWellFormed() : name;
