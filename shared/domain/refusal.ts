/** A value put into a message in place of its `{name}`. */
export type MessageValues = Readonly<Record<string, string | number>>;

/** Something said to the caller in the language of the request: a stable code and what fills its message. */
export type Message = { readonly code: string; readonly values?: MessageValues };

/** One bad place of the input; `path` mirrors the request, e.g. `['order', 'details', 1, 'product']`. */
export type ValidationError = Message & { readonly path: readonly (string | number)[] };

/** What an operation can be refused for. `shared/http/errors.ts` holds the HTTP status of each. */
export type RefusalCode =
  | 'invalid_input'
  | 'malformed_json'
  | 'not_authenticated'
  | 'token_invalid'
  | 'token_expired'
  | 'wrong_credentials'
  | 'client_unknown'
  | 'cross_site'
  | 'not_found'
  | 'order_not_changeable'
  | 'order_not_cancellable'
  | 'order_invoiced'
  | 'order_changed_meanwhile'
  | 'order_cancelled'
  | 'invoice_in_progress'
  | 'invoice_window_closed'
  | 'nothing_to_invoice'
  | 'move_not_allowed'
  | 'idempotency_key_reused'
  | 'body_too_large'
  | 'not_json'
  | 'too_many_attempts'
  | 'unavailable';

/**
 * The one error class: thrown anywhere, turned into HTTP in one place.
 * Its code is safe to show; its `cause` is for the log only.
 */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly errors: readonly ValidationError[];
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: RefusalCode,
    more: { errors?: readonly ValidationError[]; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(code, { cause: more.cause });
    this.name = 'Refusal';
    this.code = code;
    this.errors = more.errors ?? [];
    this.retryAfterSeconds = more.retryAfterSeconds;
  }
}

/** Refuses the input when any error was found; all errors of one stage go together (400). */
export function refuseInvalid(errors: readonly ValidationError[]): void {
  if (errors.length > 0) throw new Refusal('invalid_input', { errors });
}

/** Says that a dependency does not answer (503); the caller may try again after the pause. */
export const unavailable = (more: { readonly retryAfterSeconds?: number; readonly cause?: unknown } = {}): Refusal =>
  new Refusal('unavailable', { retryAfterSeconds: 2, ...more });
