import type { Message } from '../messages/messages.ts';
import type { RefusalCode } from '../messages/refusals.ts';
import type { Text } from '../messages/say.ts';

/** `path` mirrors the request, e.g. `['order', 'details', 1, 'product']`. */
export type ValidationError = Message & { readonly path: readonly (string | number)[] };

/** Thrown anywhere, converted to HTTP in one place. `cause` is only for the log, `reason` and `field` only for operators. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly errors: readonly ValidationError[];
  readonly retryAfterSeconds: number | undefined;
  readonly represent: Represent;
  readonly reason: Text | undefined;
  readonly field: string | undefined;

  constructor(code: RefusalCode, more: RefusalParts = {}) {
    super(code, { cause: more.cause });
    this.name = 'Refusal';
    this.code = code;
    this.errors = more.errors ?? [];
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.represent = more.represent ?? (() => ({}));
    this.reason = more.reason;
    this.field = more.field;
  }
}

type RefusalParts = {
  readonly errors?: readonly ValidationError[];
  readonly retryAfterSeconds?: number;
  readonly represent?: Represent;
  readonly reason?: Text | undefined;
  readonly field?: string | undefined;
  readonly cause?: unknown;
};

/** Returns further fields of the answer, with messages in the caller's language. */
type Represent = (say: (message: Message) => string) => Readonly<Record<string, unknown>>;

/** All errors of one stage are reported together (400). */
export function refuseInvalid(errors: readonly ValidationError[]): void {
  if (errors.length > 0) throw new Refusal('invalid_input', { errors });
}

export const SHORT_PAUSE_SECONDS = 2;

/** A dependency does not answer (503); the caller may retry after the pause. */
export const unavailable = (more: { readonly retryAfterSeconds?: number; readonly cause?: unknown } = {}): Refusal =>
  new Refusal('unavailable', { retryAfterSeconds: SHORT_PAUSE_SECONDS, ...more });
