import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Authentication } from '../api/contract.ts';
import { Refusal } from '../domain/refusal.ts';
import { readHeader } from './headers.ts';

const COOKIE = '__Host-access';
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

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
  const header = readHeader(event, 'authorization');
  if (header !== undefined) return { gatewayKeyId, token: /^Bearer +(\S+)$/i.exec(header)?.[1] ?? '' };
  const token = cookieValue(readHeader(event, 'cookie'));
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
  const origin = readHeader(event, 'origin');
  if (origin === undefined) return readHeader(event, 'sec-fetch-site') !== 'same-origin';
  const { host, 'x-forwarded-proto': scheme = 'https' } = event.headers;
  return origin !== `${scheme}://${host}` && !trustedOrigins.includes(origin);
}
