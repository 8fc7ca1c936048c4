import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { Refusal } from '../domain/refusal.ts';

// Lambda takes events of 6 MB; a body under this limit always fits, and is refused by us and not by the gateway.
const MAX_BODY_BYTES = 5.5 * 1024 * 1024;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

const parser = httpJsonBodyParser<APIGatewayProxyEvent>({
  disableContentTypeCheck: true,
  // The parser would refuse the whole body for `constructor: { prototype }`; a contract ignores it like any unknown field.
  reviver: (key, value) => (key === 'prototype' ? undefined : value),
});

type ParserRequest = Parameters<NonNullable<typeof parser.before>>[0];

/** Middleware that parses the body of a request. The body may not hold the key `__proto__`. */
export const jsonBody = () => ({
  before: (request: ParserRequest): void => {
    const { event } = request;
    event.body ??= '';
    if (Buffer.byteLength(event.body, event.isBase64Encoded ? 'base64' : 'utf8') > MAX_BODY_BYTES) {
      throw new Refusal('body_too_large');
    }
    if (!JSON_TYPE.test(event.headers['content-type'] ?? '')) throw new Refusal('not_json');
    try {
      parser.before?.(request);
    } catch {
      // The parser's error holds the body, which must not reach the log.
      throw new Refusal('malformed_json');
    }
  },
});
