import { Refusal, unavailable, type ValidationError } from '../domain/refusal.ts';
import { REFUSALS, type RefusalCode } from '../messages/refusals.ts';
import { type Language, say } from '../messages/say.ts';
import { valueAt } from './validation.ts';

type Path = ValidationError['path'];

type ErrorAnswer = {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  /** The stable code, for the log. */
  readonly code: RefusalCode;
};

/** The most errors that an answer shows. Nobody reads more at once; the rest is reported when these are mended. */
const MAX_ERRORS = 100;

/** Turns any error into an answer, and is the only place that does. */
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

/** Returns the refusal that stands for an error in the answer and in the log. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const parsing = isOfParser(error) && PARSER_REFUSALS[error.statusCode];
  if (parsing) return new Refusal(parsing);
  // middy throws a TimeoutError when the time of the function runs out.
  const isOverdue = error instanceof Error && error.name === 'TimeoutError';
  return isOverdue ? unavailable({ retryAfterSeconds: 5 }) : new Refusal('internal_error');
}

const PARSER_REFUSALS: Readonly<Record<number, RefusalCode>> = { 415: 'not_json', 422: 'malformed_json' };

/** True for an error of the parser of bodies, whose cause holds the body. The errors of other libraries have statuses as well. */
const isOfParser = (error: unknown): error is { readonly statusCode: number } =>
  (error as { cause?: { package?: unknown } } | undefined)?.cause?.package === '@middy/http-json-body-parser';

type ErrorNode = { messages: string[]; children: Map<string | number, ErrorNode> };
const emptyNode = (): ErrorNode => ({ messages: [], children: new Map() });

/** Messages under the names of the request: a field has an array of them, an array of objects one entry per element. */
type ValidationErrors =
  | readonly string[]
  | readonly ValidationErrors[]
  | { readonly [field: string]: ValidationErrors };

/**
 * Mirrors the request. A good element of an array is `{}`. The errors of an object as a whole are its `non_field_errors`;
 * those of an array whose elements have errors too are in the `non_field_errors` of its parent.
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

function renderElements(node: ErrorNode, path: Path, input: unknown, length: number): ValidationErrors[] {
  return Array.from({ length }, (_, index) => {
    const child = node.children.get(index);
    return child ? render(child, [...path, index], input, 'object') : {};
  });
}
