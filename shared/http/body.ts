import type { APIGatewayProxyEvent } from 'aws-lambda';
import { Refusal } from '../domain/refusal.ts';

// Lambda takes events of 6 MB; a body under this limit always fits, and is refused by us and not by the gateway.
const MAX_BODY_BYTES = 5.5 * 1024 * 1024;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/**
 * The parsed body of a request whose contract has one. Keys such as `__proto__` are plain data here, and the contract
 * leaves them behind; `@middy/http-json-body-parser` would refuse the whole body for them.
 */
export function jsonBody(event: APIGatewayProxyEvent): unknown {
  const encoding = event.isBase64Encoded ? 'base64' : 'utf8';
  const text = event.body ?? '';
  if (Buffer.byteLength(text, encoding) > MAX_BODY_BYTES) throw new Refusal('body_too_large');
  if (!JSON_TYPE.test(event.headers['content-type'] ?? '')) throw new Refusal('not_json');
  try {
    return JSON.parse(event.isBase64Encoded ? Buffer.from(text, encoding).toString() : text);
  } catch {
    throw new Refusal('malformed_json');
  }
}
