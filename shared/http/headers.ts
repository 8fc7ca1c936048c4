import { hash } from 'node:crypto';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { type Language, preferredLanguage } from '../messages/say.ts';

/** The headers that browsers on other origins may send. */
export const REQUEST_HEADERS = [
  'X-API-Key',
  'Authorization',
  'Content-Type',
  'Accept',
  'Accept-Language',
  'Idempotency-Key',
  'If-None-Match',
];

/** The response headers that pages of other origins may read. */
export const EXPOSED_HEADERS = ['X-Request-Id', 'Retry-After', 'ETag', 'Idempotent-Replayed', 'Content-Language'];

/** OWASP's REST Security Cheat Sheet requires these of a JSON API; the gateway's own answers have them too. */
export const HARDENING_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

type RequestHeaders = Pick<APIGatewayProxyEvent, 'headers' | 'multiValueHeaders'>;

/**
 * Expects the name in lower case. Several lines are one list (RFC 9110, 5.3), as browsers send cookies over HTTP/2 (RFC 9113,
 * 8.2.3); API Gateway has only the last line under `headers`. A repeated header that is no list, such as `Authorization`,
 * becomes invalid, and its reader refuses it. The gateway's test button sends null.
 */
export function readHeader({ headers, multiValueHeaders }: Partial<RequestHeaders>, name: string): string | undefined {
  const lines = multiValueHeaders?.[name] ?? [];
  return lines.length > 1 ? lines.join(name === 'cookie' ? '; ' : ', ') : (headers?.[name] ?? undefined);
}

export const chooseLanguage = (event: APIGatewayProxyEvent): Language =>
  preferredLanguage(readHeader(event, 'accept-language'));

type Content = { readonly body: unknown; readonly headers?: Readonly<Record<string, string>> | undefined };

/** A JSON answer is not cached unless its headers say so. One without a body has no type. */
export const jsonResult = (statusCode: number, { body, headers }: Content): APIGatewayProxyResult => ({
  statusCode,
  headers: {
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    'Cache-Control': 'no-store',
    ...headers,
  },
  body: JSON.stringify(body) ?? '',
});

/** Adds an ETag, or returns 304 if the caller has the same one (RFC 9110, 13.1.2). */
export function withETag(result: APIGatewayProxyResult, ifNoneMatch: string | undefined): APIGatewayProxyResult {
  const etag = `"${hash('sha1', result.body, 'base64url')}"`;
  const headers = { ...result.headers, ETag: etag, 'Cache-Control': 'private, max-age=30' };
  if (matchesETag(etag, ifNoneMatch)) return { statusCode: 304, headers, body: '' };
  return { ...result, headers };
}

/** A longer list of ETags is ignored. */
export const MAX_ETAGS = 1_000;

function matchesETag(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined || ifNoneMatch.length > MAX_ETAGS) return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
