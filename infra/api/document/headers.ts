import type { JsonSchema } from './components.ts';

type Headers = Record<string, JsonSchema>;

const requiredHeader = (description: string, example: string): JsonSchema => ({
  description,
  required: true,
  schema: { type: 'string' },
  example,
});

/** The headers of answers; each is a component of its own name. */
export const HEADERS = {
  'X-Request-Id': requiredHeader('Id of this request, for support.', 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef'),
  'Content-Language': requiredHeader(
    'Language of the messages, `es` or `en`; `es, en` in answers of the gateway itself.',
    'es',
  ),
  'Preference-Applied': {
    description: 'The preference of the request that was applied: `handling=strict` or `handling=lenient`.',
    schema: { type: 'string' },
    example: 'handling=strict',
  },
  'Retry-After': {
    description: 'Seconds to wait before trying again.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 2,
  },
  ETag: requiredHeader('Identifies this version of the answer, for `If-None-Match`.', '"2jmj7l5rSw0yVb_vlWAYkK_YBwk"'),
  'Cache-Control': requiredHeader('How long the answer may be kept.', 'private, max-age=30'),
  'Set-Cookie': requiredHeader(
    'The access token as a cookie for as long as it lives.',
    '__Host-access=eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl; Path=/; Max-Age=900; HttpOnly; Secure; SameSite=Strict',
  ),
  'Idempotent-Replayed': {
    description: '`true` when an earlier request with this key has placed the order.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
} satisfies Headers;

export type HeaderName = keyof typeof HEADERS;
const ALWAYS: readonly HeaderName[] = ['X-Request-Id', 'Content-Language', 'Preference-Applied'];

/** Describes the headers of an answer: these and the ones that every answer has. */
export const describeHeaders = (names: readonly HeaderName[]): Headers =>
  Object.fromEntries([...ALWAYS, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
