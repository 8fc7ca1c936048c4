import type { JsonSchema } from './components.ts';

type Headers = Record<string, JsonSchema>;

const requiredHeader = (description: string, example: string): JsonSchema => ({
  description,
  required: true,
  schema: { type: 'string' },
  example,
});

/** The headers of answers, by their component names. */
export const HEADERS = {
  RequestId: requiredHeader('Id of this request, for support.', 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef'),
  ContentLanguage: requiredHeader('Language of the messages, `es` or `en`.', 'es'),
  RetryAfter: {
    description: 'Seconds to wait before trying again.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 2,
  },
  ETag: requiredHeader('Identifies this version of the answer, for `If-None-Match`.', '"2jmj7l5rSw0yVb_vlWAYkK_YBwk"'),
  CacheControl: requiredHeader('How long the answer may be kept.', 'private, max-age=30'),
  SetCookie: requiredHeader(
    'The access token as a cookie for as long as it lives.',
    '__Host-access=eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl; Path=/; Max-Age=900; HttpOnly; Secure; SameSite=Strict',
  ),
  IdempotentReplayed: {
    description: '`true` when an earlier request with this key has placed the order.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
} satisfies Headers;

/** The component of each header. */
const DESCRIBED = {
  'X-Request-Id': 'RequestId',
  'Content-Language': 'ContentLanguage',
  'Retry-After': 'RetryAfter',
  ETag: 'ETag',
  'Cache-Control': 'CacheControl',
  'Set-Cookie': 'SetCookie',
  'Idempotent-Replayed': 'IdempotentReplayed',
} as const satisfies Record<string, keyof typeof HEADERS>;
export type HeaderName = keyof typeof DESCRIBED;
const ALWAYS: readonly HeaderName[] = ['X-Request-Id', 'Content-Language'];

/** Describes the headers of an answer: these and the ones that every answer has. */
export const describeHeaders = (names: readonly HeaderName[]): Headers =>
  Object.fromEntries([...ALWAYS, ...names].map((name) => [name, { $ref: `#/components/headers/${DESCRIBED[name]}` }]));
