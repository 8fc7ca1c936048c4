import { hash } from 'node:crypto';
import type { APIGatewayProxyResult } from 'aws-lambda';

type Content = { readonly body: unknown; readonly headers?: Readonly<Record<string, string>> | undefined };

/** A JSON answer is not cached unless its headers say so. */
export const jsonResult = (statusCode: number, { body, headers }: Content): APIGatewayProxyResult => ({
  statusCode,
  headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers },
  body: JSON.stringify(body),
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
