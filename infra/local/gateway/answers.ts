import type { OutgoingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { EXPOSED_HEADERS, HARDENING_HEADERS, REQUEST_HEADERS } from '../../../shared/http/headers.ts';
import {
  COMPRESSED_FROM_BYTES,
  GATEWAY_HEADERS,
  type GatewayAnswer,
  type GatewayCode,
  gatewayAnswers,
  PREFLIGHT_SECONDS,
} from '../../gateway-answers.ts';

export type HttpAnswer = {
  readonly statusCode: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string | Buffer;
};

export function ownAnswer(code: GatewayCode, requestId: string, cors: OutgoingHttpHeaders = {}): HttpAnswer {
  const { statusCode, detail, retryAfterSeconds }: GatewayAnswer = gatewayAnswers[code];
  const headers = {
    'Content-Type': 'application/json',
    'X-Request-Id': requestId,
    ...GATEWAY_HEADERS,
    ...HARDENING_HEADERS,
    ...cors,
    ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
  };
  return { statusCode, headers, body: JSON.stringify({ detail, code }) };
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

/** Answers OPTIONS on a resource with these methods; `cors` names no origin if that of the page is not allowed. */
export function preflight(methods: readonly string[], requestId: string, cors: OutgoingHttpHeaders): HttpAnswer {
  const { 'Access-Control-Allow-Origin': origin, Vary } = cors;
  const permission = origin && {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Methods': methods.join(','),
    'Access-Control-Allow-Headers': REQUEST_HEADERS.join(','),
    'Access-Control-Allow-Credentials': 'true',
    'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
  };
  return { statusCode: 204, headers: { 'X-Request-Id': requestId, Vary, ...permission }, body: '' };
}

const compress = promisify(gzip);

export const acceptsGzip = (acceptEncoding: unknown): boolean =>
  /\bgzip\b(?!;\s*q=0(?:[,\s]|$))/i.test(String(acceptEncoding ?? ''));

/** Compresses an answer from 1 KB on. The headers stay, the ETag too, which identifies the answer before compression. */
export async function compressAnswer(answer: HttpAnswer, acceptEncoding: unknown): Promise<HttpAnswer> {
  if (!acceptsGzip(acceptEncoding) || Buffer.byteLength(answer.body) < COMPRESSED_FROM_BYTES) return answer;
  const headers = { ...answer.headers, 'Content-Encoding': 'gzip' };
  return { ...answer, headers, body: await compress(answer.body) };
}
