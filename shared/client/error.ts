import type { ErrorCode, FieldErrors, Quotation } from './types.ts';

type Answered = { readonly request: string; readonly response: Response; readonly text: string };

/**
 * A refusal by the service, or an answer that is not the service's. Without an answer (no network, aborted), the error of
 * `fetch` is thrown as it is.
 */
export class BoticaError extends Error {
  override readonly name = 'BoticaError';
  readonly status: number;
  /**
   * A stable code for programs, such as `order_not_changeable`, or `invalid_input` when there are `fields`. For a refusal
   * without a code, `http_<status>`; for a success that is not JSON, `not_json`. A later version of the service may have others.
   */
  readonly code: ErrorCode | 'invalid_input' | (string & {});
  /** A message for people, in the language of the client. */
  readonly detail: string;
  /** A mirror of the request with messages at each bad field; undefined unless the input is invalid. */
  readonly fields: FieldErrors | undefined;
  /** The quote as it is now, for `total_changed`. */
  readonly quote: Quotation | undefined;
  /** The id of the request in the service's log, for support. */
  readonly requestId: string | undefined;
  /** The seconds to wait before the next attempt, if the service gives them. */
  readonly retryAfterSeconds: number | undefined;

  constructor({ request, response, text }: Answered) {
    const { code, detail, fields, quote } = parseRefusal(response.status, text);
    super(`${request}: ${response.status} ${code}: ${detail}`);
    this.status = response.status;
    this.code = code;
    this.detail = detail;
    this.fields = fields;
    this.quote = quote;
    this.requestId = response.headers.get('x-request-id') ?? undefined;
    this.retryAfterSeconds = parseRetryAfter(response.headers.get('retry-after'));
  }
}

type Refusal = Pick<BoticaError, 'code' | 'detail'> & Partial<Pick<BoticaError, 'fields' | 'quote'>>;

function parseRefusal(status: number, text: string): Refusal {
  const beginning = text.slice(0, 200);
  if (status < 400) return { code: 'not_json', detail: `${NOT_JSON}: ${beginning}` };
  const body = parseObject(text);
  const { code, detail, message, quote } = body ?? {};
  if (typeof code === 'string' && typeof detail === 'string')
    return { code, detail, quote: quote as Quotation | undefined };
  // API Gateway's own shape.
  if (typeof message === 'string') return { code: `http_${status}`, detail: message };
  if (!body || status !== 400) return { code: `http_${status}`, detail: beginning };
  const fields = body as FieldErrors;
  return { code: 'invalid_input', detail: listMessages(fields, '').join('; '), fields };
}

const NOT_JSON = 'The answer is not JSON; something on the way may have sent it';

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}

/** Returns undefined for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
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
