import { describeAwsAnswers } from '../../gateway-answers.ts';
import { writeCodeTable } from './codes.ts';
import { PAYING_SECTION, ROLES_SECTION, SANDBOX_SECTION, STATES_SECTION, TESTING_SECTION } from './sections.ts';

/** The text that the description of the API begins with, in Markdown. */
export const writeIntroduction = (): string => `A first request finds a product:

\`\`\`sh
curl "$BOTICA/api/products/?search=paracetamol&limit=1" -H "X-API-Key: $API_KEY"
\`\`\`

Amounts are Mexican pesos (MXN) as text with two decimals, times are UTC, and unknown fields are ignored. The guide in the package of the client (\`shared/client/README.md\`) goes through an integration step by step.

## Authentication

Every request carries the key of the client in \`X-API-Key\`. Order routes also need the access token of a user: \`POST /api/token/\` gives it for e-mail and password, and it is sent as \`Authorization: Bearer …\`. A page in a browser may use the cookie that the same answer sets.

${ROLES_SECTION}

${PAYING_SECTION}

${STATES_SECTION}

${SANDBOX_SECTION}

${TESTING_SECTION}

## Errors

A 400 mirrors the request: each bad field holds its messages. Every other error is \`{"detail", "code"}\`: \`detail\` is for people, \`code\` for programs. A client that meets a code that it does not know goes by the status. \`X-Request-Id\` finds the request in the log of the pharmacy. All codes stand below, under Codes.

## Pages

Lists take \`page\` and \`limit\`; \`count\` is exact, and \`next\` and \`previous\` are addresses or null. To read a list to its end while it changes, send an empty \`cursor\` in place of \`page\` and follow \`next\`: nothing that keeps its place is skipped or repeated.

## Idempotency

With an \`Idempotency-Key\`, an order is placed once, however often it is sent within 24 hours: the same key and body return the order as it is now, with \`Idempotent-Replayed: true\`. Another body with the same key is 422 \`idempotency_key_reused\`.

## Languages

Messages are in Spanish, or in English if \`Accept-Language\` prefers it. \`Content-Language\` says which.

## Events and webhooks

What happens to an order is told as events, without anything personal. A client asks for them (\`/api/events/\`), or a webhook brings them: signed as [Standard Webhooks](https://www.standardwebhooks.com) say, repeated over 3 days until it is answered 2xx, and maybe more than once under the same \`id\`. Webhooks, below, shows a signed message.

## Limits

| Subject | Limit | Above it |
|---|---|---|
| Requests with a key | 50 a second, bursts of 100 | 429 \`throttled\` |
| Orders; invoices of a patient or doctor | 60 an hour; 10 in 24 hours | 429 \`too_many_orders\`, \`too_many_invoices\` |
| Body | 256 KB; 5.5 MB and 20,000 values where it carries documents | 413 \`body_too_large\` |
| Lines of an order; prescriptions | 50; 10, of 3 MB each and 4 MB together | 400 |
| Results on a page | 100 | counts as 100 |

## Codes

The cause, in italics, is the message that the answer carries. New codes may come (\`CHANGELOG.md\`, in the package of the client, says what may change); none changes its meaning.

${writeCodeTable()}

## The gateway

A \`HEAD\` is answered as the \`GET\` of its path, without the body. Any other path or method below the base address, preflights aside, is 404 \`not_found\`, with or without a key. The gateway answers for itself in Spanish and English at once. Answers of 1 KB or more are compressed if the coding that \`Accept-Encoding\` prefers is gzip or deflate.

${describeAwsAnswers([413, 414, 415, 431])}`;
