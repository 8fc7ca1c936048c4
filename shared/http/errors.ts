import { type Message, Refusal, type RefusalCode, unavailable, type ValidationError } from '../domain/refusal.ts';
import { valueAt } from './validation.ts';

/** The HTTP status of every refusal. */
export const STATUS: Readonly<Record<RefusalCode, number>> = {
  invalid_input: 400,
  malformed_json: 400,
  not_authenticated: 401,
  token_invalid: 401,
  token_expired: 401,
  wrong_credentials: 401,
  client_unknown: 403,
  cross_site: 403,
  not_found: 404,
  order_not_changeable: 409,
  order_not_cancellable: 409,
  order_invoiced: 409,
  order_changed_meanwhile: 409,
  order_cancelled: 409,
  invoice_in_progress: 409,
  invoice_window_closed: 409,
  nothing_to_invoice: 409,
  move_not_allowed: 409,
  body_too_large: 413,
  not_json: 415,
  idempotency_key_reused: 422,
  too_many_attempts: 429,
  unavailable: 503,
};

type Say = (message: Message) => string;
export type ErrorAnswer = {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Record<string, string>;
  /** The stable code, for the log. */
  readonly code: string;
};

/** The one place that turns an error into HTTP. What is no Refusal is a defect of ours, and says nothing of itself. */
export function errorAnswer(error: unknown, say: Say, input: unknown): ErrorAnswer {
  if (isOverdue(error)) return errorAnswer(unavailable({ retryAfterSeconds: 5 }), say, input);
  if (!(error instanceof Refusal)) {
    const code = 'internal_error';
    return { status: 500, code, body: { detail: say({ code }), code }, headers: {} };
  }
  const { code, errors, retryAfterSeconds } = error;
  const headers: Record<string, string> = {};
  if (retryAfterSeconds !== undefined) headers['Retry-After'] = String(retryAfterSeconds);
  const body = errors.length > 0 ? errorTree(errors, say, input) : { detail: say({ code }), code };
  return { status: STATUS[code], code, body, headers };
}

// What middy throws when there is no time left: something that the request waits for does not answer.
const isOverdue = (error: unknown) => error instanceof Error && error.name === 'TimeoutError';

type ErrorNode = { messages: string[]; children: Map<string | number, ErrorNode> };
const emptyNode = (): ErrorNode => ({ messages: [], children: new Map() });

/**
 * Mirrors the request: a bad field holds its messages, an array of objects one entry per element (`{}` for a good
 * one), and what is wrong with an object as a whole stands under `non_field_errors`; so does what is wrong with an array
 * as a whole when its place is taken by the entries of its elements.
 */
export function errorTree(errors: readonly ValidationError[], say: Say, input: unknown): unknown {
  const root = emptyNode();
  for (const error of errors) nodeAt(root, error.path).messages.push(say(error));
  return rendered(root, [], input, 'object');
}

function nodeAt(root: ErrorNode, path: ValidationError['path']): ErrorNode {
  let node = root;
  for (const step of path) {
    const child = node.children.get(step) ?? emptyNode();
    node.children.set(step, child);
    node = child;
  }
  return node;
}

function rendered(node: ErrorNode, path: ValidationError['path'], input: unknown, place: 'object' | 'field'): unknown {
  if (node.children.size === 0 && place === 'field') return node.messages;
  const value = valueAt(input, path);
  if (Array.isArray(value) && place === 'field') return elements(node, path, input, value.length);
  const fields = [...node.children].map(([step, child]) => [step, rendered(child, [...path, step], input, 'field')]);
  const displaced = [...node.children].flatMap(([step, child]) => {
    const isArray = child.children.size > 0 && Array.isArray(valueAt(input, [...path, step]));
    return isArray ? child.messages : [];
  });
  const messages = [...node.messages, ...displaced];
  return { ...(messages.length > 0 ? { non_field_errors: messages } : {}), ...Object.fromEntries(fields) };
}

function elements(node: ErrorNode, path: ValidationError['path'], input: unknown, length: number): unknown[] {
  return Array.from({ length }, (_, index) => {
    const child = node.children.get(index);
    return child ? rendered(child, [...path, index], input, 'object') : {};
  });
}
