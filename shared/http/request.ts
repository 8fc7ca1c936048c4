import type { APIGatewayProxyEvent } from 'aws-lambda';
import type * as z from 'zod';
import type { Authentication, Contract } from '../api/contract.ts';
import { Refusal } from '../domain/refusal.ts';
import { decodeText, isWhole } from '../domain/text.ts';
import type { Message } from '../messages/messages.ts';

const MOST_BYTES = 256 * 1024;
// Lambda takes events of 6 MB; a body under this limit always fits, and is refused by us and not by the gateway.
const MOST_BYTES_WITH_DOCUMENTS = 5.5 * 1024 * 1024;
// An order with all of its lines, prescriptions and fields has some 300 values.
const MOST_VALUES_WITH_DOCUMENTS = 20_000;
// An order has five levels. V8 parses any number of them, with which later recursions would fill the stack.
const MOST_LEVELS = 1_000;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)/gi;
const UTF_8 = /^utf-?8$/i;

/** Middleware that parses the body of a request. The body may not hold the key `__proto__`. */
export const jsonBody = ({ carriesDocuments = false }: Contract) => ({
  before: ({ event }: { readonly event: APIGatewayProxyEvent }): void => {
    refuseSize(event, carriesDocuments ? MOST_BYTES_WITH_DOCUMENTS : MOST_BYTES);
    if (!isJsonType(event.headers['content-type'] ?? '')) throw new Refusal('not_json');
    const body = parseJson(readBody(event));
    checkValues(body, carriesDocuments ? MOST_VALUES_WITH_DOCUMENTS : Number.POSITIVE_INFINITY);
    // Later steps find the parsed body where the gateway has put its text.
    Object.assign(event, { body, isBase64Encoded: false });
  },
});

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's error holds the body, which must not reach the log.
    throw new Refusal('malformed_json');
  }
}

/**
 * Refuses too many values or levels, the key `__proto__`, and escapes such as \ud800, which write what no UTF-8 can. A reviver would see
 * the same, but V8 takes 25 times as long for an array of numbers with one (64 ms for 256 KB) and twice the memory.
 */
function checkValues(body: unknown, mostValues: number): void {
  let values = 0;
  const check = (value: unknown, level: number): void => {
    values += 1;
    if (values > mostValues) throw new Refusal('body_too_large');
    if (level > MOST_LEVELS) throw new Refusal('malformed_json');
    if (typeof value === 'string') refuseHalves(value);
    else if (Array.isArray(value)) for (const each of value) check(each, level + 1);
    else if (typeof value === 'object' && value !== null) checkFields(value, level + 1);
  };
  const checkFields = (object: object, level: number): void => {
    for (const [key, value] of Object.entries(object)) {
      if (key === '__proto__') throw new Refusal('malformed_json');
      refuseHalves(key);
      check(value, level);
    }
  };
  check(body, 1);
}

function refuseHalves(text: string): void {
  if (!isWhole(text)) throw new Refusal('malformed_json');
}

function refuseSize({ body, isBase64Encoded }: APIGatewayProxyEvent, mostBytes: number): void {
  if (Buffer.byteLength(body ?? '', isBase64Encoded ? 'base64' : 'utf8') > mostBytes)
    throw new Refusal('body_too_large');
}

/** True for JSON in UTF-8, which is the only encoding that JSON has between systems (RFC 8259, 8.1). */
const isJsonType = (type: string): boolean =>
  JSON_TYPE.test(type) && type.matchAll(CHARSET).every(([, charset = '']) => UTF_8.test(charset));

/** Returns the text of a body, in whichever form the gateway hands it over. Throws a Refusal for bytes that are not UTF-8. */
function readBody({ body, isBase64Encoded }: APIGatewayProxyEvent): string {
  const text = isBase64Encoded ? decodeText(Buffer.from(body ?? '', 'base64')) : (body ?? '');
  if (text === undefined || !isWhole(text)) throw new Refusal('malformed_json');
  return text;
}

/** Returns the bytes of a body, over which a signature was made. Throws `body_too_large`. */
export function readBytes({ body, isBase64Encoded }: APIGatewayProxyEvent): Uint8Array {
  const bytes = Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > MOST_BYTES) throw new Refusal('body_too_large');
  return bytes;
}

/** The parts of a request that tell who is calling. */
export type Credentials = {
  /** The gateway's id of the API key; the gateway has checked the key. */
  readonly gatewayKeyId: string;
  /** The access token as sent in the header or else in the cookie. */
  readonly token: string | undefined;
};

/**
 * Returns the caller, or throws a Refusal. What cannot be told without a read is told by `confirmed`, which rejects with
 * a Refusal while the route is at work.
 */
export type Authenticator<Caller> = (
  credentials: Credentials,
) => Promise<Caller & { readonly confirmed?: Promise<unknown> }>;

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** A request that is valid by its contract and comes from a known caller. */
export type Request<C extends Contract, Caller> = {
  readonly id: string;
  readonly path: Parsed<C['path']>;
  readonly query: Parsed<C['query']>;
  readonly body: Parsed<C['body']>;
  readonly headers: Parsed<C['headers']>;
  /** Returns the body as it was sent, for a contract without one. Throws `body_too_large`. */
  bytes(): Uint8Array;
  readonly caller: Caller;
  readonly sourceAddress: string;
  readonly now: Date;
  /** Returns a message in the language of the request. */
  say(message: Message): string;
  /** Returns the absolute URL of the request with another `page`. */
  pageUrl(page: number): string;
  /** Returns the absolute URL of the request with another `cursor`. */
  cursorUrl(cursor: string): string;
  /** Returns a name of the list that is read, the same for all of its pages and for no other list or caller. */
  listName(): string;
};

/** The result of a handler, with the body of the contract's success status. */
export type Answer<C extends Contract> = {
  readonly body: z.input<C['answers'][keyof C['answers'] & number]>;
  /** One of the contract's success statuses, where it has several. */
  readonly status?: keyof C['answers'] & number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookie?: string;
};

const COOKIE = '__Host-access';
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Authenticates routes that only need an API key, which the gateway has already checked. */
export const anyKey = async ({ gatewayKeyId }: Credentials): Promise<{ readonly gatewayKeyId: string }> => ({
  gatewayKeyId,
});

/** Returns the cookie that holds an access token as long as the token is valid (RFC 6265bis: `__Host-`). */
export const accessCookie = (token: string, lifetimeSeconds: number): string =>
  `${COOKIE}=${token}; Path=/; Max-Age=${lifetimeSeconds}; HttpOnly; Secure; SameSite=Strict`;

/**
 * Returns the gateway's id of the API key and, for routes of users, the token of the `Authorization` header or else of
 * the cookie. Expects header names in lower case. Throws a Refusal without a key or for a cookie from another site.
 */
export function readCredentials(
  event: APIGatewayProxyEvent,
  trustedOrigins: readonly string[],
  authentication: Authentication = 'user',
): Credentials {
  if (authentication === 'none') return { gatewayKeyId: '', token: undefined };
  const gatewayKeyId = event.requestContext.identity.apiKeyId;
  if (!gatewayKeyId) throw new Refusal('client_unknown');
  // A stale cookie must not refuse a quote, or the login that replaces the cookie.
  if (authentication !== 'user') return { gatewayKeyId, token: undefined };
  const header = event.headers.authorization;
  if (header !== undefined) return { gatewayKeyId, token: /^Bearer +(\S+)$/i.exec(header)?.[1] ?? '' };
  const token = cookieValue(event.headers.cookie);
  if (token !== undefined && isCrossSite(event, trustedOrigins)) throw new Refusal('cross_site');
  return { gatewayKeyId, token };
}

function cookieValue(header: string | undefined): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1);
}

/** Tells whether an unsafe method comes from a page that is neither ours nor of a trusted origin (OWASP CSRF sheet). */
function isCrossSite(event: APIGatewayProxyEvent, trustedOrigins: readonly string[]): boolean {
  if (SAFE_METHODS.has(event.httpMethod)) return false;
  const { origin, host, 'sec-fetch-site': fetchSite, 'x-forwarded-proto': scheme = 'https' } = event.headers;
  if (origin === undefined) return fetchSite !== 'same-origin';
  return origin !== `${scheme}://${host}` && !trustedOrigins.includes(origin);
}
