import { AsyncLocalStorage } from 'node:async_hooks';
import { Logger } from '@aws-lambda-powertools/logger';
import type { MessageCode } from '../messages/messages.ts';
import type { Role } from '../people/rules/roles.ts';
import { perContainer } from './async.ts';

const logger = /* @__PURE__ */ perContainer(() => new Logger({ serviceName: 'pharmacy' }));

/** Ids, codes and durations, never bodies, names, addresses, tokens or keys. */
export type LogFields = Readonly<
  Record<string, string | number | boolean | undefined | readonly string[] | MetricDirective>
>;
/** CloudWatch reads this part of a log line as metrics (embedded metric format). */
type MetricDirective = { readonly Timestamp: number; readonly CloudWatchMetrics: readonly object[] };

/** For commands, whose stdout is for the result; errors go to stderr. */
export function logErrorsOnly(): void {
  if (logger().getLevelName() !== 'SILENT') logger().setLogLevel('ERROR');
}

export const logInfo = (message: string, fields: LogFields): void => logger().info(message, { ...fields });

/** Further fields of a request's log line: ids, codes and counts, never a text of the caller. */
export type RequestNotes = {
  readonly clientId?: number;
  readonly userId?: number;
  readonly role?: Role;
  readonly orderId?: number;
  /** The distinct codes of the validation errors. */
  readonly codes?: readonly MessageCode[];
  readonly invalidCoupon?: true;
};

const requestNotes = new AsyncLocalStorage<RequestNotes>();

export const runWithNotes = <Result>(work: () => Result): Result => requestNotes.run({}, work);

/** Adds fields to the current request's log line; ignored in jobs and commands. */
export function noteRequest(notes: RequestNotes): void {
  Object.assign(requestNotes.getStore() ?? {}, notes);
}

export const readRequestNotes = (): RequestNotes => requestNotes.getStore() ?? {};

/** Logs an error's name and stack but not its message, because messages of libraries may quote the input. */
export const logError = (message: string, error: unknown, fields: LogFields): void =>
  logger().error(message, { ...fields, ...describeError(error) });

function describeError(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error };
  const { cause } = error;
  return {
    error: error.name,
    code: 'code' in error ? String(error.code) : undefined,
    // The stack begins with the message, which may contain a line like one of the stack.
    trace: (error.stack ?? '')
      .replace(error.message, '')
      .split('\n')
      .filter((line) => /^\s+at /.test(line))
      .slice(0, 8),
    cause: cause instanceof Error ? cause.name : undefined,
    causeCode: cause instanceof Error && 'code' in cause ? String(cause.code) : undefined,
  };
}

/** Returns an operating system's code such as ENOENT, or the error as a text. */
export const toErrorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);

/** True if a call failed before it was connected, so that nothing can have arrived. */
export function neverConnected(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(neverConnected);
  if (!(error instanceof Error)) return false;
  const { syscall, code, cause } = error as NodeJS.ErrnoException;
  return (
    syscall === 'connect' || syscall === 'getaddrinfo' || code === 'UND_ERR_CONNECT_TIMEOUT' || neverConnected(cause)
  );
}
