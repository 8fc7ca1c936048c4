import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type Language, preferredLanguage } from '../messages/say.ts';

/** The headers that a browser on another origin may send. */
export const REQUEST_HEADERS = [
  'X-API-Key',
  'Authorization',
  'Content-Type',
  'Accept',
  'Accept-Language',
  'Idempotency-Key',
  'If-None-Match',
];

/** The headers of an answer that a page of another origin may read. */
export const EXPOSED_HEADERS = ['X-Request-Id', 'Retry-After', 'ETag', 'Idempotent-Replayed', 'Content-Language'];

/** The headers that OWASP's REST Security Cheat Sheet demands of a JSON API; the gateway's own answers have them too. */
export const HARDENING_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

type SentHeaders = Pick<APIGatewayProxyEvent, 'headers' | 'multiValueHeaders'>;

/**
 * Returns the value of a header, undefined without it; the name is in lower case. Several lines are one list (RFC 9110, 5.3),
 * as browsers send cookies over HTTP/2 (RFC 9113, 8.2.3); API Gateway has only the last line under `headers`. A header that
 * is no list, such as `Authorization`, is malformed then, and its reader refuses it. The gateway's test button sends null.
 */
export function readHeader({ headers, multiValueHeaders }: Partial<SentHeaders>, name: string): string | undefined {
  const lines = multiValueHeaders?.[name] ?? [];
  return lines.length > 1 ? lines.join(name === 'cookie' ? '; ' : ', ') : (headers?.[name] ?? undefined);
}

/** Returns the language of the messages of an answer. */
export const chooseLanguage = (event: APIGatewayProxyEvent): Language =>
  preferredLanguage(readHeader(event, 'accept-language'));
