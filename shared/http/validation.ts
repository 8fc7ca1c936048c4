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

/** Returns all errors with paths: one for a value of the wrong type, and only the narrower of two violated bounds of a kind. */
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

/** Replaces a union's issue by those of the option that has the input's type, if any. */
function expandUnion(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const hasInputType = (issues: readonly Issue[]) =>
    !issues.some(({ code, path }) => code === 'invalid_type' && !path.length);
  const option = issue.errors.find(hasInputType);
  return option?.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })) ?? [issue];
}

export const valueAt = (input: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, step) => (value as Record<string | number, unknown> | undefined)?.[step], input);

function toMessage(issue: Issue, value: unknown): Message {
  if (value === undefined) return { code: 'required' };
  if (value === null) return { code: 'not_null' };
  // A contract's rule has a message code instead of a text, and the message's values as parameters.
  const values = issue.code === 'custom' ? issue.params : undefined;
  if (isMessageCode(issue.message)) return { code: issue.message, values } as Message;
  if (issue.code === 'invalid_type') return { code: WRONG_TYPE[issue.expected] ?? 'invalid_value' };
  if (issue.code === 'too_small') return belowMinimum(issue.origin, Number(issue.minimum));
  if (issue.code === 'too_big') return aboveMaximum(issue.origin, Number(issue.maximum));
  if (issue.code === 'invalid_value') return { code: 'not_a_choice', values: { choices: issue.values.join(', ') } };
  return { code: 'invalid_value' };
}

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

/** True for an array parameter, whose values are comma-separated. */
function isList(schema: Schema): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return z.globalRegistry.get(schema)?.type === 'array' || ('innerType' in def && isList(def.innerType));
}

const isListParameter = (query: z.ZodObject | undefined, name: string): boolean =>
  query !== undefined && Object.hasOwn(query.shape, name) && isList(query.shape[name]);

type EventQuery = Pick<APIGatewayProxyEvent, 'queryStringParameters' | 'multiValueQueryStringParameters'>;

/** Joins repeated list parameters, as most generated clients send them; of other parameters the last value counts. */
export function readQuery(
  query: z.ZodObject | undefined,
  { queryStringParameters, multiValueQueryStringParameters }: EventQuery,
): Record<string, string | undefined> {
  const lists = Object.entries(multiValueQueryStringParameters ?? {}).filter(([name]) => isListParameter(query, name));
  const listValues = lists.map(([name, values = []]) => [
    name,
    values.filter((value) => value.trim() !== '').join(','),
  ]);
  return { ...queryStringParameters, ...Object.fromEntries(listValues) };
}
