import type { FieldErrors } from './types.ts';

type Answered = { readonly request: string; readonly response: Response; readonly text: string };

/** An answer that is a refusal. What never was answered (no network, aborted) is thrown as `fetch` threw it. */
export class BoticaError extends Error {
  override readonly name = 'BoticaError';
  readonly status: number;
  /** Stable, for programs: `order_not_changeable`; `invalid_input` where `fields` say more. */
  readonly code: string;
  /** For people, in the language asked for. */
  readonly detail: string;
  /** The request mirrored, with messages at each bad field; undefined unless the input is invalid. */
  readonly fields: FieldErrors | undefined;
  /** For whoever runs the service: its log lines carry the same. */
  readonly requestId: string | undefined;
  /** How long the service asks to be left alone. */
  readonly retryAfterSeconds: number | undefined;

  constructor({ request, response, text }: Answered) {
    const { code, detail, fields } = refusalOf(response.status, text);
    super(`${request}: ${response.status} ${code}: ${detail}`);
    this.status = response.status;
    this.code = code;
    this.detail = detail;
    this.fields = fields;
    this.requestId = response.headers.get('x-request-id') ?? undefined;
    this.retryAfterSeconds = secondsOf(response.headers.get('retry-after'));
  }
}

type Refusal = Pick<BoticaError, 'code' | 'detail' | 'fields'>;

function refusalOf(status: number, text: string): Refusal {
  const body = objectOf(text);
  const { code, detail } = body ?? {};
  if (typeof code === 'string' && typeof detail === 'string') return { code, detail, fields: undefined };
  if (!body || status !== 400) return { code: `http_${status}`, detail: text.slice(0, 200), fields: undefined };
  const fields = body as FieldErrors;
  return { code: 'invalid_input', detail: messagesOf(fields, '').join('; '), fields };
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function messagesOf(node: object, path: string): string[] {
  return Object.entries(node).flatMap(([step, value]: [string, string | object]) => {
    if (typeof value === 'string') return [`${path}: ${value}`];
    return messagesOf(value, path === '' ? step : `${path}.${step}`);
  });
}

/** Seconds of a `Retry-After`, which may also be a date (RFC 9110, 10.2.3). */
function secondsOf(written: string | null): number | undefined {
  if (written === null) return undefined;
  if (/^\d+$/.test(written)) return Number(written);
  const seconds = Math.ceil((Date.parse(written) - Date.now()) / 1_000);
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
