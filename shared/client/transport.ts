import { BoticaError } from './error.ts';

export type Query = Readonly<Record<string, string | number | boolean | readonly (string | number)[] | undefined>>;

export type Exchange = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT';
  /** As the interface writes it, with the trailing slash. */
  readonly path: string;
  readonly query?: Query | undefined;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /**
   * What may be done again when nobody knows whether it was done: `repeatable` everything that changes nothing or
   * carries an idempotency key; `once` what could undo somebody else's change meanwhile.
   */
  readonly kind: 'repeatable' | 'once';
};

export type TransportOptions = {
  /** Up to and with the version: `https://api.example.mx/v2`. */
  readonly baseUrl: string;
  /** The client's key. */
  readonly apiKey: string;
  /** Of messages. Default: Spanish. */
  readonly language?: 'es' | 'en';
  /** How often one call is sent at most. Default: 4. */
  readonly maxAttempts?: number;
  /** How long one call may wait between its attempts, all together. Default: 20 s. */
  readonly maxWaitMs?: number;
  /** How long one attempt may take. Default: 30 s, just above what the service itself allows. */
  readonly timeoutMs?: number;
  /** In place of the global `fetch`. */
  readonly fetch?: typeof fetch;
};

/** Sends one call, again if that is safe, and resolves with the body of its success. */
export type Transport = (exchange: Exchange) => Promise<unknown>;

const FIRST_SPREAD_MS = 200;
const LONGEST_SPREAD_MS = 4_000;

export function createTransport(options: TransportOptions): Transport {
  const { maxAttempts = 4, maxWaitMs = 20_000 } = options;

  return async function send(exchange) {
    const deadline = Date.now() + maxWaitMs;
    const address = addressOf(exchange, options.baseUrl);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await attemptOnce(exchange, address, options);
      } catch (error) {
        const delayMs = delayBefore(attempt, error);
        const isLast = attempt >= maxAttempts || Date.now() + delayMs > deadline;
        if (isLast || !mayRepeat(exchange, error)) throw error;
        await pause(delayMs, exchange.signal);
      }
    }
  };
}

async function attemptOnce(exchange: Exchange, address: URL, options: TransportOptions): Promise<unknown> {
  const { method, path, body, signal } = exchange;
  const { timeoutMs = 30_000, fetch: call = fetch } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const response = await call(address, {
    method,
    headers: headersOf(exchange, options),
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    // The service never redirects, and the key must not follow whoever says so in its place.
    redirect: 'error',
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new BoticaError({ request: `${method} ${path}`, response, text });
  return JSON.parse(text);
}

function addressOf({ path, query = {} }: Exchange, baseUrl: string): URL {
  const address = new URL(`${baseUrl.replace(/\/+$/, '')}${path}`);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) address.searchParams.set(name, String(value));
  }
  return address;
}

function headersOf({ headers, body }: Exchange, { apiKey, language = 'es' }: TransportOptions): Record<string, string> {
  return {
    Accept: 'application/json',
    'Accept-Language': language,
    'X-API-Key': apiKey,
    ...(body && { 'Content-Type': 'application/json' }),
    ...headers,
  };
}

function mayRepeat({ kind, signal }: Exchange, error: unknown): boolean {
  if (signal?.aborted || error instanceof SyntaxError) return false;
  const status = error instanceof BoticaError ? error.status : undefined;
  // Turned away before anything was done.
  if (status === 429) return true;
  // 504 is the gateway's own, and undefined no answer at all: as with 503, what became of the call is not known.
  return kind === 'repeatable' && (status === undefined || status === 503 || status === 504);
}

// At least what the service asks for, and spread, so that callers who were turned away together do not return together.
function delayBefore(attempt: number, error: unknown): number {
  const askedMs = error instanceof BoticaError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
  const spreadMs = Math.min(Math.max(FIRST_SPREAD_MS * 2 ** (attempt - 1), askedMs / 2), LONGEST_SPREAD_MS);
  return askedMs + spreadMs * (0.5 + Math.random() / 2);
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
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
