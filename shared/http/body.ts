import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { Refusal } from '../domain/refusal.ts';
import { readHandling } from './preferences.ts';

// Lambda takes events of 6 MB; a body under this limit always fits, and is refused by us and not by the gateway.
const MAX_BODY_BYTES = 5.5 * 1024 * 1024;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

const strictParser = httpJsonBodyParser<APIGatewayProxyEvent>({ disableContentTypeCheck: true });
const lenientParser = httpJsonBodyParser<APIGatewayProxyEvent>({
  disableContentTypeCheck: true,
  // The parser would refuse the whole body for `constructor: { prototype }`; a contract ignores it like any unknown field.
  reviver: (key, value) => (key === 'prototype' ? undefined : value),
});

type ParserRequest = Parameters<NonNullable<typeof lenientParser.before>>[0];

/** Middleware that parses the body of a request. The body may not hold the key `__proto__`. */
export const jsonBody = () => ({
  before: (request: ParserRequest): void => {
    const { event } = request;
    event.body = readText(event);
    event.isBase64Encoded = false;
    if (!JSON_TYPE.test(event.headers['content-type'] ?? '')) throw new Refusal('not_json');
    if (hasTooManyValues(event.body)) throw new Refusal('too_many_values');
    const parser = readHandling(event) === 'strict' ? strictParser : lenientParser;
    try {
      parser.before?.(request);
    } catch {
      // The parser's error holds the body, which must not reach the log.
      throw new Refusal('malformed_json');
    }
  },
});

function readText({ body, isBase64Encoded }: APIGatewayProxyEvent): string {
  const encoding = isBase64Encoded ? 'base64' : 'utf8';
  const text = body ?? '';
  if (Buffer.byteLength(text, encoding) > MAX_BODY_BYTES) throw new Refusal('body_too_large');
  return isBase64Encoded ? Buffer.from(text, 'base64').toString() : text;
}

// An order with all of its lines, prescriptions and fields has some 600 of these signs. 5.5 MB of `{},` took 0.4 s and
// 190 MB to parse; 20,000 signs take at most 20 ms.
const MAX_SIGNS = 20_000;
const [BRACE, BRACKET, COMMA, COLON, QUOTE, BACKSLASH] = Buffer.from('{[,:"\\');

/** Counts the signs outside of texts that each value, field or level of a JSON text needs; 5.5 MB take 20 ms at most. */
function hasTooManyValues(json: string): boolean {
  let signs = 0;
  for (let at = 0; at < json.length && signs <= MAX_SIGNS; at++) {
    const sign = json.charCodeAt(at);
    if (sign === QUOTE) at = findEndOfText(json, at + 1);
    else if (sign === COMMA || sign === COLON || sign === BRACE || sign === BRACKET) signs++;
  }
  return signs > MAX_SIGNS;
}

const STRIDE = 64;

/** Returns the index of the quote that ends a text, or the length of the JSON text if it is cut off. */
function findEndOfText(json: string, start: number): number {
  let at = start;
  while (at < json.length) {
    for (const end = at + STRIDE; at < end; at++) {
      const sign = json.charCodeAt(at);
      if (sign === QUOTE) return at;
      if (sign === BACKSLASH) at++;
    }
    // A document has no quotes or escapes, and is passed at the speed of memory.
    const quote = json.indexOf('"', at);
    if (quote < 0) return json.length;
    if (!isEscaped(json, at, quote)) return quote;
    at = quote + 1;
  }
  return json.length;
}

/** True if an odd number of backslashes stands before a quote, none of which is before `start`. */
function isEscaped(json: string, start: number, quote: number): boolean {
  let first = quote;
  while (first > start && json.charCodeAt(first - 1) === BACKSLASH) first--;
  return (quote - first) % 2 === 1;
}
