import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod';
import { Refusal, unavailable, type ValidationError } from '../domain/refusal.ts';
import { isMessageCode, type Message, type PlainCode } from '../messages/messages.ts';
import { REFUSALS, type RefusalCode } from '../messages/refusals.ts';
import { type Language, say } from '../messages/say.ts';

type Path = ValidationError['path'];

type ErrorAnswer = {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly code: RefusalCode;
};

/** The rest is reported once these are corrected. */
const MAX_ERRORS = 100;

/** The only place that converts errors to answers. */
export function toErrorAnswer(error: unknown, language: Language, input: unknown): ErrorAnswer {
  const { code, errors, retryAfterSeconds, represent } = toRefusal(error);
  return {
    status: REFUSALS[code].status,
    body:
      errors.length > 0
        ? nestErrors(errors.slice(0, MAX_ERRORS), language, input)
        : { detail: say({ code }, language), code, ...represent((message) => say(message, language)) },
    headers: retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) },
    code,
  };
}

export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const parserCode = isParserError(error) && PARSER_REFUSALS[error.statusCode];
  if (parserCode) return new Refusal(parserCode);
  // middy throws a TimeoutError when the function runs out of time.
  const isOverdue = error instanceof Error && error.name === 'TimeoutError';
  return isOverdue ? unavailable({ retryAfterSeconds: 5 }) : new Refusal('internal_error');
}

const PARSER_REFUSALS: Readonly<Record<number, RefusalCode>> = { 415: 'not_json', 422: 'malformed_json' };

/** Other libraries' errors have statuses as well; the cause of the parser's contains the body. */
const isParserError = (error: unknown): error is { readonly statusCode: number } =>
  (error as { cause?: { package?: unknown } } | undefined)?.cause?.package === '@middy/http-json-body-parser';

type ErrorNode = { messages: string[]; children: Map<string | number, ErrorNode> };
const emptyNode = (): ErrorNode => ({ messages: [], children: new Map() });

/** A field has an array of messages, an array of objects one entry per element. */
type ValidationErrors =
  | readonly string[]
  | readonly ValidationErrors[]
  | { readonly [field: string]: ValidationErrors };

/**
 * Mirrors the request. A valid element of an array is `{}`. An object's own errors are its `non_field_errors`; those of an
 * array whose elements also have errors are in its parent's.
 */
function nestErrors(errors: readonly ValidationError[], language: Language, input: unknown): ValidationErrors {
  const root = emptyNode();
  for (const error of errors) nodeAt(root, error.path).messages.push(say(error, language));
  return render(root, [], input, 'object');
}

function nodeAt(root: ErrorNode, path: Path): ErrorNode {
  let node = root;
  for (const step of path) {
    const child = node.children.get(step) ?? emptyNode();
    node.children.set(step, child);
    node = child;
  }
  return node;
}

function render(node: ErrorNode, path: Path, input: unknown, place: 'object' | 'field'): ValidationErrors {
  if (node.children.size === 0 && place === 'field') return node.messages;
  const value = valueAt(input, path);
  if (Array.isArray(value) && place === 'field') return renderElements(node, path, input, value.length);
  const fields = [...node.children].map(([step, child]) => [step, render(child, [...path, step], input, 'field')]);
  const displaced = [...node.children].flatMap(([step, child]) => {
    const isArray = child.children.size > 0 && Array.isArray(valueAt(input, [...path, step]));
    return isArray ? child.messages : [];
  });
  const messages = [...node.messages, ...displaced];
  return { ...(messages.length > 0 ? { non_field_errors: messages } : {}), ...Object.fromEntries(fields) };
}

const renderElements = (node: ErrorNode, path: Path, input: unknown, length: number): ValidationErrors[] =>
  Array.from({ length }, (_, index) => {
    const child = node.children.get(index);
    return child ? render(child, [...path, index], input, 'object') : {};
  });

type Issue = z.core.$ZodIssue;

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

const valueAt = (input: unknown, path: Path): unknown =>
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
