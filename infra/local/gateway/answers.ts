import { createHash } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { EXPOSED_HEADERS, HARDENING_HEADERS, REQUEST_HEADERS } from '../../../shared/http/headers.ts';
import { type GatewayAnswer, type GatewayCode, gatewayAnswers } from '../../gateway-answers.ts';

export type HttpAnswer = {
  readonly statusCode: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string | Buffer;
};

export const MAX_BODY_BYTES = 10 * 1024 * 1024;

/** The gateway's own answers to one request, in the shape of our errors. */
export function ownAnswer(code: GatewayCode, requestId: string, cors: OutgoingHttpHeaders): HttpAnswer {
  const { statusCode, detail, retryAfterSeconds }: GatewayAnswer = gatewayAnswers[code];
  return {
    statusCode,
    headers: {
      'Content-Type': 'application/json',
      'Content-Language': 'es',
      'X-Request-Id': requestId,
      'Cache-Control': 'no-store',
      ...HARDENING_HEADERS,
      ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
      ...cors,
    },
    body: JSON.stringify({ detail, code }),
  };
}

/** Returns the CORS headers that let a page of a configured origin read an answer. */
export function corsHeaders(origin: string | undefined, allowed: readonly string[]): OutgoingHttpHeaders {
  if (allowed.length === 0) return {};
  if (origin === undefined || !allowed.includes(origin)) return { Vary: 'Origin' };
  return {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': EXPOSED_HEADERS.join(','),
  };
}

/** Answers OPTIONS on a resource with these methods; `cors` is empty for an origin that is not allowed. */
export function preflight(methods: readonly string[], requestId: string, cors: OutgoingHttpHeaders): HttpAnswer {
  const { 'Access-Control-Allow-Origin': origin, Vary } = cors;
  const permission = {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Methods': methods.join(','),
    'Access-Control-Allow-Headers': REQUEST_HEADERS.join(','),
    'Access-Control-Allow-Credentials': 'true',
  };
  const headers = { 'X-Request-Id': requestId, ...(Vary && { Vary }), ...(origin && permission) };
  return { statusCode: 204, headers, body: '' };
}

/** API Gateway checks this first and answers in its own shape, which no gateway response can change. */
export const edgeBodyTooLarge: HttpAnswer = {
  statusCode: 413,
  headers: { 'Content-Type': 'text/plain' },
  body: `HTTP content length exceeded ${MAX_BODY_BYTES} bytes.`,
};

/** On an unknown route, AWS reads the header as its own signature and rejects it, in a shape that cannot be changed. */
export function brokenSignature(authorization: string): HttpAnswer {
  const hash = createHash('sha256').update(authorization).digest('base64');
  const message =
    'Invalid key=value pair (missing equal-sign) in Authorization header ' +
    `(hashed with SHA-256 and encoded with Base64): '${hash}'.`;
  return {
    statusCode: 403,
    headers: { 'Content-Type': 'application/json', 'x-amzn-ErrorType': 'IncompleteSignatureException' },
    body: JSON.stringify({ message }),
  };
}
