import type { Message } from '../messages/messages.ts';
import type { RefusalCode } from '../messages/refusals.ts';
import type { Text } from '../messages/say.ts';

/** One bad place of the input; `path` mirrors the request, e.g. `['order', 'details', 1, 'product']`. */
export type ValidationError = Message & { readonly path: readonly (string | number)[] };

/**
 * The one error class: thrown anywhere, turned into HTTP in one place.
 * Its code is safe to show; its `cause` is for the log only, and its `reason` for operators only, with the `field`
 * of their input that it is about.
 */
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

/** Returns the fields of the answer beside `detail` and `code`, with their messages in the caller's language. */
type Represent = (say: (message: Message) => string) => Readonly<Record<string, unknown>>;

/** Refuses the input when any error was found; all errors of one stage go together (400). */
export function refuseInvalid(errors: readonly ValidationError[]): void {
  if (errors.length > 0) throw new Refusal('invalid_input', { errors });
}

/** The seconds after which a caller may try again what could not be reached. */
export const SHORT_PAUSE_SECONDS = 2;

/** Says that a dependency does not answer (503); the caller may try again after the pause. */
export const unavailable = (more: { readonly retryAfterSeconds?: number; readonly cause?: unknown } = {}): Refusal =>
  new Refusal('unavailable', { retryAfterSeconds: SHORT_PAUSE_SECONDS, ...more });
