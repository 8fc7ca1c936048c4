import { Refusal, unavailable, type ValidationError } from '../domain/refusal.ts';
import { REFUSALS, type RefusalCode } from '../messages/refusals.ts';
import { type Language, say } from '../messages/say.ts';
import { valueAt } from './validation.ts';

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

/** Returns the refusal that represents an error in the answer and the log. */
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
