import { type OutgoingHttpHeaders, validateHeaderName, validateHeaderValue } from 'node:http';
import type { HttpAnswer } from './answers.ts';

// Lambda accepts answers of up to 6 MB.
const MAX_ANSWER_BYTES = 6 * 1024 * 1024;
const ANSWER_FIELDS = new Set(['statusCode', 'headers', 'multiValueHeaders', 'body', 'isBase64Encoded', 'cookies']);
// API Gateway renames these headers of a function's answer, since it sets them itself.
const REMAPPED = new Set(['connection', 'content-length', 'date', 'server', 'transfer-encoding', 'www-authenticate']);

/**
 * Converts a function's answer as API Gateway does: a missing status is 200, single and multi-value headers are merged,
 * multi-value ones first. Throws on what API Gateway calls a malformed Lambda proxy response.
 */
export function readProxyAnswer(answer: unknown): HttpAnswer {
  if (!isRecord(answer)) throw malformed('it is not an object');
  const surplus = Object.keys(answer).find((name) => !ANSWER_FIELDS.has(name));
  if (surplus !== undefined) throw malformed(`"${surplus}" is not a field of it`);
  return {
    statusCode: readStatus(answer.statusCode ?? 200),
    headers: mergeHeaders(answer.headers ?? {}, answer.multiValueHeaders ?? {}),
    body: decodeBody(answer.body ?? '', answer.isBase64Encoded ?? false),
  };
}

const malformed = (reason: string) => new Error(`malformed Lambda proxy response: ${reason}`);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

function readStatus(status: unknown): number {
  const code = Number(status);
  if (!Number.isInteger(code) || code < 200 || code > 599) throw malformed('statusCode is not an HTTP status');
  return code;
}

function mergeHeaders(single: unknown, multiple: unknown): OutgoingHttpHeaders {
  if (!isRecord(single) || !isRecord(multiple)) throw malformed('headers are not objects');
  const merged = new Map<string, { name: string; values: string[] }>();
  for (const [name, values] of Object.entries(multiple)) {
    if (!Array.isArray(values)) throw malformed(`the values of "${name}" are not an array`);
    for (const value of values) addHeader(merged, name, value);
  }
  for (const [name, value] of Object.entries(single)) addHeader(merged, name, value);
  if (!merged.has('content-type')) addHeader(merged, 'Content-Type', 'application/json');
  return Object.fromEntries([...merged.values()].map(({ name, values }) => [name, oneOrMany(values)]));
}

function addHeader(merged: Map<string, { name: string; values: string[] }>, name: string, value: unknown): void {
  if (!isScalar(value)) throw malformed(`the header "${name}" is not a scalar`);
  validateHeaderName(name);
  validateHeaderValue(name, String(value));
  const lower = name.toLowerCase();
  const entry = merged.get(lower) ?? { name: REMAPPED.has(lower) ? `x-amzn-remapped-${lower}` : name, values: [] };
  if (!entry.values.includes(String(value))) entry.values.push(String(value));
  merged.set(lower, entry);
}

const oneOrMany = (values: string[]) => (values.length === 1 ? values[0] : values);

function decodeBody(body: unknown, isBase64Encoded: unknown): string | Buffer {
  if (typeof body !== 'string') throw malformed('body is not a string');
  if (Buffer.byteLength(body) > MAX_ANSWER_BYTES) throw malformed('body is over 6 MB');
  return isBase64Encoded === true ? Buffer.from(body, 'base64') : body;
}
