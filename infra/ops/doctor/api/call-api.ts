import { setting } from '../../command.ts';
import { parseJson } from '../../target/parse-json.ts';

// The gateway itself waits no longer for a function.
const TIMEOUT_MS = 29_000;

export type ApiAnswer = {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  /** The JSON of the answer; undefined if it is none. */
  readonly body: unknown;
};

/** Calls the deployed API, or the local one. Throws an Error that names the host and the reason if it does not answer. */
export async function callApi(path: string, init: RequestInit = {}): Promise<ApiAnswer> {
  const url = new URL(path, setting('API_URL').replace(/\/?$/, '/'));
  try {
    const { status, headers, ...answer } = await fetchText(url, init);
    return { url: url.href, status, headers, body: parseJson(answer.text) };
  } catch (error) {
    throw new Error(`${url.host} cannot be reached (${reasonOf(error)}).`, { cause: error });
  }
}

async function fetchText(url: URL, init: RequestInit): Promise<{ status: number; headers: Headers; text: string }> {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

// `fetch` says only that it failed; its cause has the code of the system, such as ENOTFOUND or CERT_HAS_EXPIRED.
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return error.name === 'TimeoutError' ? 'no answer in time' : error.message;
}

/** Returns the code of an answer in the shape of our errors; empty for any other. */
export function codeOf({ body }: ApiAnswer): string {
  return typeof body === 'object' && body !== null && 'code' in body ? String(body.code) : '';
}
