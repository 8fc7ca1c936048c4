import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Contract } from '../api/contract.ts';
import { Refusal } from '../domain/refusal.ts';
import { readHandling } from './headers.ts';

const MOST_BYTES = 256 * 1024;
// Lambda takes events of 6 MB; a body under this limit always fits, and is refused by us and not by the gateway.
const MOST_BYTES_WITH_DOCUMENTS = 5.5 * 1024 * 1024;
// An order with all of its lines, prescriptions and fields has some 300 values.
const MOST_VALUES_WITH_DOCUMENTS = 20_000;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

type ParserRequest = Parameters<NonNullable<ReturnType<typeof httpJsonBodyParser<APIGatewayProxyEvent>>['before']>>[0];

/** Middleware that parses the body of a request. The body may not hold the key `__proto__`. */
export const jsonBody = ({ carriesDocuments = false }: Contract) => ({
  before: (request: ParserRequest): void => {
    const { event } = request;
    event.body = readBody(event, carriesDocuments ? MOST_BYTES_WITH_DOCUMENTS : MOST_BYTES);
    event.isBase64Encoded = false;
    if (!JSON_TYPE.test(event.headers['content-type'] ?? '')) throw new Refusal('not_json');
    const isLenient = readHandling(event) !== 'strict';
    let values = 0;
    const reviver = (key: string, value: unknown): unknown => {
      values += 1;
      if (carriesDocuments && values > MOST_VALUES_WITH_DOCUMENTS) throw new RangeError('too many values');
      // The parser would refuse the whole body for `constructor: { prototype }`; a contract ignores it like any unknown field.
      return isLenient && key === 'prototype' ? undefined : value;
    };
    try {
      httpJsonBodyParser<APIGatewayProxyEvent>({ disableContentTypeCheck: true, reviver }).before?.(request);
    } catch {
      // The parser's error holds the body, which must not reach the log.
      const isTooLarge = carriesDocuments && values > MOST_VALUES_WITH_DOCUMENTS;
      throw new Refusal(isTooLarge ? 'body_too_large' : 'malformed_json');
    }
  },
});

function readBody({ body, isBase64Encoded }: APIGatewayProxyEvent, mostBytes: number): string {
  const encoding = isBase64Encoded ? 'base64' : 'utf8';
  const text = body ?? '';
  if (Buffer.byteLength(text, encoding) > mostBytes) throw new Refusal('body_too_large');
  return isBase64Encoded ? Buffer.from(text, 'base64').toString() : text;
}
