import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod';
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
