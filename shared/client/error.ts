import type { FieldErrors } from './types.ts';

type Answered = { readonly request: string; readonly response: Response; readonly text: string };

/** A refusal by the service. Without an answer (no network, aborted), the error of `fetch` is thrown as it is. */
export class BoticaError extends Error {
  override readonly name = 'BoticaError';
  readonly status: number;
  /** A stable code for programs, such as `order_not_changeable`, or `invalid_input` when there are `fields`. */
  readonly code: string;
  /** A message for people, in the language of the client. */
  readonly detail: string;
  /** A mirror of the request with messages at each bad field; undefined unless the input is invalid. */
  readonly fields: FieldErrors | undefined;
  /** The id of the request in the service's log, for support. */
  readonly requestId: string | undefined;
  /** The seconds to wait before the next attempt, if the service gives them. */
  readonly retryAfterSeconds: number | undefined;

  constructor({ request, response, text }: Answered) {
    const { code, detail, fields } = parseRefusal(response.status, text);
    super(`${request}: ${response.status} ${code}: ${detail}`);
    this.status = response.status;
    this.code = code;
    this.detail = detail;
    this.fields = fields;
    this.requestId = response.headers.get('x-request-id') ?? undefined;
    this.retryAfterSeconds = parseRetryAfter(response.headers.get('retry-after'));
  }
}

type Refusal = Pick<BoticaError, 'code' | 'detail' | 'fields'>;

function parseRefusal(status: number, text: string): Refusal {
  const body = parseObject(text);
  const { code, detail } = body ?? {};
  if (typeof code === 'string' && typeof detail === 'string') return { code, detail, fields: undefined };
  if (!body || status !== 400) return { code: `http_${status}`, detail: text.slice(0, 200), fields: undefined };
  const fields = body as FieldErrors;
  return { code: 'invalid_input', detail: listMessages(fields, '').join('; '), fields };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function listMessages(node: object, path: string): string[] {
  return Object.entries(node).flatMap(([step, value]: [string, string | object]) => {
    if (typeof value === 'string') return [`${path}: ${value}`];
    return listMessages(value, path === '' ? step : `${path}.${step}`);
  });
}

/** Returns the seconds of a `Retry-After` header, which may also be a date (RFC 9110, 10.2.3). */
function parseRetryAfter(written: string | null): number | undefined {
  if (written === null) return undefined;
  if (/^\d+$/.test(written)) return Number(written);
  const seconds = Math.ceil((Date.parse(written) - Date.now()) / 1_000);
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
