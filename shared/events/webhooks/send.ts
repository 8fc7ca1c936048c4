import { randomBytes, randomUUID } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import { lookup as resolveName } from 'node:dns/promises';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Webhook } from 'standardwebhooks';
import type { Endpoint, Progress } from './endpoints.ts';

/** `public`: internet addresses by https. `loopback`: also this machine, by http too, for the local server. */
export type Reach = 'public' | 'loopback';

const LONGEST_URL = 2_048;

type UrlFault = 'not_a_url' | 'url_too_long' | 'not_https' | 'url_with_credentials' | 'address_not_public';

// Standard Webhooks (github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md): 24 to 64 bytes.
const SECRET_BYTES = 32;

/** Returns a new random secret as receivers store it: `whsec_` and base64. */
export const createSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;

/** The id has no dot, so that no other id and time produce the same signed text. */
export type WebhookMessage = { readonly id: string; readonly sentAt: Date; readonly body: string };

/** Signs a message with each secret, so that receivers may replace theirs. */
export const signatureHeaders = ({ id, sentAt, body }: WebhookMessage, secrets: readonly string[]) => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1_000)),
  'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, sentAt, body)).join(' '),
});

export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;
export type SendOptions = {
  readonly reach: Reach;
  readonly resolve?: Resolve;
  readonly timeoutMs?: number;
};
type Target = { readonly url: string; readonly secrets: readonly string[] };

const TIMEOUT_MS = 5_000;
const MOST_BODY_BYTES = 1_024;

class Unsendable extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.name = 'Unsendable';
    this.code = code;
  }
}

/** Sends an event of the type `webhook.test`, which no delivery records. */
export async function sendTestEvent(target: Target, sentAt: Date, options: SendOptions) {
  const event = `evt_test_${randomUUID()}`;
  const body = JSON.stringify({ id: event, type: 'webhook.test', time: sentAt.toISOString() });
  const answer = await sendWebhook(target, { id: event, sentAt, body }, options);
  return { event, isTaken: judgeAnswer(answer) === 'delivered', ...answer };
}

/**
 * Posts a signed event once and returns the answer. Never throws for what the receiver does. The name is resolved for this one
 * connection, which goes to one of its addresses; each must be allowed. Redirects are not followed, and only the first
 * kilobyte of the answer is read.
 */
export async function sendWebhook(
  { url, secrets }: Target,
  message: WebhookMessage,
  options: SendOptions,
): Promise<WebhookAnswer> {
  const startedAt = performance.now();
  const toAnswer = (answer: Pick<WebhookAnswer, 'status' | 'code'> & Partial<WebhookAnswer>): WebhookAnswer => ({
    retryAfterMs: undefined,
    body: '',
    ...answer,
    durationMs: Math.round(performance.now() - startedAt),
  });
  const fault = findUrlFault(url, options.reach);
  if (fault) return toAnswer({ status: null, code: fault });
  try {
    const signal = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
    const response = await post(new URL(url), { message, secrets, signal }, options);
    const body = await readStart(response);
    const retryAfterMs = parseRetryAfter(response.headers['retry-after'], message.sentAt);
    return toAnswer({ status: response.statusCode ?? null, code: null, retryAfterMs, body });
  } catch (error) {
    return toAnswer({ status: null, code: failureCode(error) });
  }
}

type Post = { readonly message: WebhookMessage; readonly secrets: readonly string[]; readonly signal: AbortSignal };

function post(url: URL, { message, secrets, signal }: Post, options: SendOptions): Promise<IncomingMessage> {
  const body = Buffer.from(message.body);
  const requestOptions: RequestOptions = {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      'User-Agent': 'Botica-Webhooks/1',
      ...signatureHeaders(message, secrets),
    },
    lookup: checkedLookup(options),
    signal,
  };
  return new Promise((resolve, reject) => {
    // A separate agent uses no proxy from the environment and no connection whose address was checked earlier.
    const request =
      url.protocol === 'https:'
        ? httpsRequest(url, { ...requestOptions, agent: new Agent({ keepAlive: false, rejectUnauthorized: true }) })
        : httpRequest(url, { ...requestOptions, agent: new HttpAgent({ keepAlive: false }) });
    request.on('response', resolve).on('error', reject).end(body);
  });
}

/** Checks a name's addresses when a connection is opened; Node does not look up an address in the URL. */
const checkedLookup =
  ({ reach, resolve = resolveAll }: SendOptions): LookupFunction =>
  (name, { all }, done) => {
    resolve(name).then(
      (addresses) => {
        const isAllowed = addresses.length > 0 && addresses.every(({ address }) => isAllowedAddress(address, reach));
        if (!isAllowed) return done(new Unsendable('address_not_public'), []);
        const [first] = addresses as [LookupAddress];
        if (all) done(null, [...addresses]);
        else done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => done(error, []),
    );
  };

const resolveAll: Resolve = (name) => resolveName(name, { all: true });

/** A body that fails or never ends does not change the status. */
async function readStart(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= MOST_BODY_BYTES) break;
    }
  } catch {
    // Timeout, or the receiver closed the connection.
  }
  response.destroy();
  return Buffer.concat(chunks).subarray(0, MOST_BODY_BYTES).toString('utf8');
}

function failureCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'timeout';
  return 'code' in error ? String(error.code) : error.name;
}

/** Checks an endpoint's URL and the current addresses of its name. */
export async function findEndpointFault(
  url: string,
  { reach, resolve = resolveAll }: Pick<SendOptions, 'reach' | 'resolve'>,
): Promise<UrlFault | 'name_unknown' | undefined> {
  const fault = findUrlFault(url, reach);
  const host = fault ? '' : hostOf(new URL(url));
  if (fault || isIP(host) !== 0) return fault;
  try {
    const addresses = await resolve(host);
    return addresses.every(({ address }) => isAllowedAddress(address, reach)) ? undefined : 'address_not_public';
  } catch {
    return 'name_unknown';
  }
}

/** Checks a URL's text only; the addresses of its name are checked at each connection. */
export function findUrlFault(written: string, reach: Reach): UrlFault | undefined {
  if (written.length > LONGEST_URL) return 'url_too_long';
  if (!URL.canParse(written)) return 'not_a_url';
  const url = new URL(written);
  if (url.username !== '' || url.password !== '') return 'url_with_credentials';
  const host = hostOf(url);
  const isLocal = reach === 'loopback' && (host === 'localhost' || isAllowedAddress(host, 'loopback'));
  if (url.protocol !== 'https:' && !(isLocal && url.protocol === 'http:')) return 'not_https';
  return isIP(host) !== 0 && !isAllowedAddress(host, reach) ? 'address_not_public' : undefined;
}

/** Returns a URL's host, an IPv6 address without brackets. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

const isAllowedAddress = (address: string, reach: Reach): boolean =>
  isPublicAddress(address) ||
  (reach === 'loopback' && isIP(address) !== 0 && ipaddr.parse(address).range() === 'loopback');

// IANA has assigned global unicast IPv6 addresses only here; the library also calls others `unicast`.
const GLOBAL_IPV6 = '2000::/3';

/** True for a public address of one host; false for mapped, 6to4, NAT64, Teredo and scoped addresses, and for names. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(ipaddr.parseCIDR(GLOBAL_IPV6));
}

export type WebhookAnswer = {
  /** Null without an answer. */
  readonly status: number | null;
  /** The failure if there is no answer: `timeout`, `address_not_public`, `ECONNREFUSED` and so on. */
  readonly code: string | null;
  readonly durationMs: number;
  readonly retryAfterMs: number | undefined;
  /** The first kilobyte, for an operator's test. */
  readonly body: string;
};

/** `gone`: the receiver wants no more events. `busy`: none until the time that it states. */
type Verdict = 'delivered' | 'failed' | 'busy' | 'gone';

const GONE = 410;
const BUSY: readonly (number | null)[] = [429, 503];

/** 2xx is a success; everything else, including a redirect, is a failure. */
export function judgeAnswer({ status, retryAfterMs }: Pick<WebhookAnswer, 'status' | 'retryAfterMs'>): Verdict {
  if (status !== null && status >= 200 && status < 300) return 'delivered';
  if (status === GONE) return 'gone';
  return BUSY.includes(status) && retryAfterMs !== undefined ? 'busy' : 'failed';
}

export function parseRetryAfter(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now.getTime());
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

// Before the second to the eleventh try: 71 h 36 min 5 s in total, without jitter.
const PAUSES = [
  5 * SECOND,
  MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  20 * HOUR,
] as const;
// Spreads the retries to a receiver that comes back.
const JITTER = 0.1;
const LONGEST_RETRY_AFTER = HOUR;
/** After only failures for this long, an endpoint is disabled. */
const LONGEST_FAILING = 24 * HOUR;

/** `tries` includes the failed one. */
type FailedTry = { readonly tries: number; readonly now: Date; readonly retryAfterMs?: number | undefined };

/** Returns the next try, undefined after the last. `random` (0 to 1) adds jitter. Receivers may ask for up to an hour. */
export function nextTryAt({ tries, now, retryAfterMs = 0 }: FailedTry, random: number): Date | undefined {
  const pause = PAUSES[tries - 1];
  if (pause === undefined) return undefined;
  const requestedMs = Math.min(retryAfterMs, LONGEST_RETRY_AFTER);
  return new Date(now.getTime() + Math.max(Math.round(pause * (1 + JITTER * random)), requestedMs));
}

export type TryOutcome = Pick<WebhookAnswer, 'retryAfterMs'> & {
  readonly verdict: Verdict;
  readonly isGivenUp: boolean;
};

export function judgeEndpoint(
  endpoint: Pick<Endpoint, 'failingSince' | 'givenUpCount'>,
  { verdict, isGivenUp, retryAfterMs = 0 }: TryOutcome,
  now: Date,
): Progress {
  if (verdict === 'delivered') return { failingSince: null };
  const at = now.toISOString();
  const failingSince = endpoint.failingSince ?? at;
  const failing = {
    failingSince,
    ...(isGivenUp && { givenUpCount: endpoint.givenUpCount + 1, lastGivenUpAt: at }),
  };
  if (verdict === 'gone') return { ...failing, disabled: { by: 'gone', at }, isNoticeDue: true };
  if (now.getTime() - Date.parse(failingSince) >= LONGEST_FAILING)
    return { ...failing, disabled: { by: 'failures', at }, isNoticeDue: true };
  const pausedUntil = new Date(now.getTime() + Math.min(retryAfterMs, LONGEST_RETRY_AFTER)).toISOString();
  return verdict === 'busy' ? { ...failing, pausedUntil } : failing;
}
