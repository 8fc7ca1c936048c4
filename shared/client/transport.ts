import { BoticaError, parseJson } from './error.ts';

export type Query = Readonly<Record<string, string | number | boolean | readonly (string | number)[] | undefined>>;

export type Exchange = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT';
  /** The path in the interface, with its trailing slash. */
  readonly path: string;
  readonly query?: Query | undefined;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /**
   * Decides whether a call without a known outcome is sent again. `repeatable`: it changes nothing, or carries an
   * idempotency key. `once`: it could undo a later change by somebody else.
   */
  readonly kind: 'repeatable' | 'once';
};

export type TransportOptions = {
  /** The address including the version, such as `https://api.example.mx/v2`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The language of messages. Default: Spanish. */
  readonly language?: 'es' | 'en';
  /** The longest total wait between the attempts of one call, without the attempts themselves. Default: 20 s. */
  readonly maxWaitMs?: number;
  /** The most attempts of one call. Default: as many as `maxWaitMs` has time for. */
  readonly maxAttempts?: number;
  /** The time limit of one attempt. Default: 30 s, just above the service's own limit. */
  readonly timeoutMs?: number;
  /** A replacement for the global `fetch`. */
  readonly fetch?: typeof fetch;
};

/** Sends a call, repeats it if that is safe, and resolves with the body of the answer. */
export type Transport = (exchange: Exchange) => Promise<unknown>;

const FIRST_JITTER_MS = 200;
const LONGEST_JITTER_MS = 4_000;

/** The requests that a key has left, where the stage sends them; API Gateway itself does not. */
export type RateLimit = {
  readonly limit: number | undefined;
  readonly remaining: number;
  /** The seconds until there are `limit` requests again. */
  readonly resetSeconds: number | undefined;
};

/** Returns undefined unless the answer has `RateLimit-Remaining` or `X-RateLimit-Remaining`. */
function readRateLimit(headers: Headers): RateLimit | undefined {
  const read = (name: string): number | undefined => {
    const written = headers.get(`ratelimit-${name}`) ?? headers.get(`x-ratelimit-${name}`);
    return written !== null && /^\d{1,15}$/.test(written) ? Number(written) : undefined;
  };
  const remaining = read('remaining');
  return remaining === undefined ? undefined : { limit: read('limit'), remaining, resetSeconds: read('reset') };
}

/** `noteRateLimit` receives what an answer says of the requests that are left. */
export function createTransport(
  options: TransportOptions,
  noteRateLimit: (limit: RateLimit) => void = () => undefined,
): Transport {
  const { maxAttempts = Number.POSITIVE_INFINITY, maxWaitMs = 20_000 } = options;

  return async function send(exchange) {
    let waitedMs = 0;
    const address = buildAddress(exchange, options.baseUrl);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await attemptOnce(exchange, address, { ...options, noteRateLimit });
      } catch (error) {
        const leftMs = maxWaitMs - waitedMs;
        const askedMs = readAskedMs(error);
        const isLast = attempt >= maxAttempts || leftMs <= 0 || askedMs > leftMs;
        if (isLast || !isSafeToRepeat(exchange, error)) throw error;
        const delayMs = Math.min(askedMs + jitterMsAfter(attempt, askedMs), leftMs);
        await pause(delayMs, exchange.signal);
        waitedMs += delayMs;
      }
    }
  };
}

type AttemptOptions = TransportOptions & { readonly noteRateLimit: (limit: RateLimit) => void };

async function attemptOnce(exchange: Exchange, address: URL, options: AttemptOptions): Promise<unknown> {
  const { method, path, body, signal } = exchange;
  const { timeoutMs = 30_000, fetch: call = fetch } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const response = await call(address, {
    method,
    headers: buildRequestHeaders(exchange, options),
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    // The service never redirects, and the API key must not go to another host.
    redirect: 'error',
    ...(body && { body: JSON.stringify(body) }),
  });
  const limit = readRateLimit(response.headers);
  if (limit) options.noteRateLimit(limit);
  const text = await response.text();
  if (response.status === 204) return undefined;
  const answer = response.ok ? parseJson(text) : undefined;
  if (answer === undefined) throw new BoticaError({ request: `${method} ${path}`, response, text });
  return answer;
}

function buildAddress({ path, query = {} }: Exchange, baseUrl: string): URL {
  const address = new URL(`${baseUrl.replace(/(?<!\/)\/+$/, '')}${path}`);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) address.searchParams.set(name, String(value));
  }
  return address;
}

function buildRequestHeaders(
  { headers, body }: Exchange,
  { apiKey, language = 'es' }: TransportOptions,
): Record<string, string> {
  return {
    Accept: 'application/json',
    'Accept-Language': language,
    // API Gateway compresses only for the first coding, and fetch of Node puts one first that it does not have. Browsers
    // ignore this header, and put gzip first.
    'Accept-Encoding': 'gzip',
    'X-API-Key': apiKey,
    ...(body && { 'Content-Type': 'application/json' }),
    ...headers,
  };
}

// After these the outcome of the call is unknown: 503 is of the service, the others are of a proxy on the way.
const UNKNOWN_OUTCOME = [502, 503, 504];

function isSafeToRepeat({ kind, signal }: Exchange, error: unknown): boolean {
  if (signal?.aborted) return false;
  const status = error instanceof BoticaError ? error.status : undefined;
  // The service did nothing yet.
  if (status === 429) return true;
  // Without an answer the outcome is unknown as well.
  return kind === 'repeatable' && (status === undefined || UNKNOWN_OUTCOME.includes(status));
}

const readAskedMs = (error: unknown): number =>
  error instanceof BoticaError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;

// A random time spreads callers who were refused together.
function jitterMsAfter(attempt: number, askedMs: number): number {
  const longestMs = Math.min(Math.max(FIRST_JITTER_MS * 2 ** (attempt - 1), askedMs / 2), LONGEST_JITTER_MS);
  return longestMs * (0.5 + Math.random() / 2);
}

/** Resolves after a time; rejects with the reason of `signal` as soon as it is aborted. */
export function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
