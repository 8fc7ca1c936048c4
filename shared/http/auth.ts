import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Authentication } from '../api/contract.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Credentials } from './request.ts';

const COOKIE = '__Host-access';
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** For routes that need no more than a key which the gateway has already checked. */
export const anyKey = async (): Promise<undefined> => undefined;

/** The cookie that carries an access token for as long as the token lives (RFC 6265bis: `__Host-`). */
export const accessCookie = (token: string, lifetimeSeconds: number): string =>
  `${COOKIE}=${token}; Path=/; Max-Age=${lifetimeSeconds}; HttpOnly; Secure; SameSite=Strict`;

/**
 * Who the request says it comes from: the key's id as the gateway knows it and, where a user is asked for, the token
 * of the `Authorization` header if there is one, else of the cookie. Header names are in lower case by now.
 */
export function credentialsOf(
  event: APIGatewayProxyEvent,
  trustedOrigins: readonly string[],
  authentication: Authentication = 'user',
): Credentials {
  const gatewayKeyId = event.requestContext.identity.apiKeyId;
  if (!gatewayKeyId) throw new Refusal('client_unknown');
  // A cookie that nobody asked for must not refuse a quote, or the login that replaces it.
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

/** A cookie alone lets an unsafe method through only from our own pages or a configured origin (OWASP CSRF sheet). */
function isCrossSite(event: APIGatewayProxyEvent, trustedOrigins: readonly string[]): boolean {
  if (SAFE_METHODS.has(event.httpMethod)) return false;
  const { origin, host, 'sec-fetch-site': fetchSite, 'x-forwarded-proto': scheme = 'https' } = event.headers;
  if (origin === undefined) return fetchSite !== 'same-origin';
  return origin !== `${scheme}://${host}` && !trustedOrigins.includes(origin);
}
