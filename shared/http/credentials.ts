import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Authentication } from '../api/contract.ts';
import { Refusal } from '../domain/refusal.ts';
import { readHeader } from './headers.ts';

const COOKIE = '__Host-access';
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

export type Credentials = {
  /** The gateway's id of the API key, which it has checked. */
  readonly gatewayKeyId: string;
  /** The access token from the header, or else from the cookie. */
  readonly token: string | undefined;
};

/** Throws a Refusal. `confirmed` rejects with one later, after checks that need a read, while the route is at work. */
export type Authenticator<Caller> = (
  credentials: Credentials,
) => Promise<Caller & { readonly confirmed?: Promise<unknown> }>;

/** For routes that only need an API key, which the gateway has checked. */
export const anyKey = async ({ gatewayKeyId }: Pick<Credentials, 'gatewayKeyId'>) => ({ gatewayKeyId });

/** The cookie lasts as long as its access token (RFC 6265bis: `__Host-`). */
export const accessCookie = (token: string, lifetimeSeconds: number): string =>
  `${COOKIE}=${token}; Path=/; Max-Age=${lifetimeSeconds}; HttpOnly; Secure; SameSite=Strict`;

/** Expects header names in lower case. Throws a Refusal without a key, or for a cookie from another site. */
export function readCredentials(
  event: APIGatewayProxyEvent,
  trustedOrigins: readonly string[],
  authentication: Authentication = 'user',
): Credentials {
  if (authentication === 'none') return { gatewayKeyId: '', token: undefined };
  const gatewayKeyId = event.requestContext.identity.apiKeyId;
  if (!gatewayKeyId) throw new Refusal('client_unknown');
  // A stale cookie must not refuse a quote, or the login that replaces it.
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

/** True for an unsafe method from a page that is neither ours nor of a trusted origin (OWASP CSRF sheet). */
function isCrossSite(event: APIGatewayProxyEvent, trustedOrigins: readonly string[]): boolean {
  if (SAFE_METHODS.has(event.httpMethod)) return false;
  const origin = readHeader(event, 'origin');
  if (origin === undefined) return readHeader(event, 'sec-fetch-site') !== 'same-origin';
  const { host, 'x-forwarded-proto': scheme = 'https' } = event.headers;
  return origin !== `${scheme}://${host}` && !trustedOrigins.includes(origin);
}
