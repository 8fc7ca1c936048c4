/** API Gateway's quotas for a Regional REST API; a body and the values of all headers are counted in bytes. */
export const GATEWAY_QUOTAS = { bodyBytes: 10 * 1024 * 1024, urlLength: 10_240, headerBytes: 10_240 };

type AwsAnswer = {
  /** The cause as a condition, for the API description. */
  readonly cause: string;
  readonly statusCode: number;
  readonly contentType: 'text/plain' | 'application/json';
  readonly body: string;
  /** The answer that may come in its place. */
  readonly orElse?: string;
};

/**
 * The answers of API Gateway that no gateway response can change. The API description and the local gateway both read this
 * table. AWS documents the causes; the texts of 413 and 431 are those that its users report, and those of 414 and 415 are
 * assumed.
 */
export const awsAnswers = {
  bodyTooLarge: {
    cause: 'the body is over 10 MB',
    statusCode: 413,
    contentType: 'text/plain',
    body: `HTTP content length exceeded ${GATEWAY_QUOTAS.bodyBytes} bytes.`,
  },
  eventTooLarge: {
    cause: 'the body is over 6 MB as escaped JSON, in which a quotation mark has two bytes',
    statusCode: 413,
    contentType: 'application/json',
    body: '{"message":"Request Too Long"}',
  },
  urlTooLong: {
    cause: 'the URL is over 10,240 characters',
    statusCode: 414,
    contentType: 'text/plain',
    body: 'Request URI too long',
  },
  unsupportedCoding: {
    cause: '`Content-Encoding` is neither gzip nor deflate, or not the coding of the body',
    statusCode: 415,
    contentType: 'application/json',
    body: '{"message":"Unsupported Media Type"}',
    // The catch-all answers as UNSUPPORTED_MEDIA_TYPE (gateway-answers.ts). AWS documents only that it may find a wrong coding
    // before or after it knows the API and the stage ("Call an API method with a compressed payload").
    orElse: 'our 404 `not_found`',
  },
  headersTooLarge: {
    cause: 'the values of all headers are over 10,240 bytes',
    statusCode: 431,
    contentType: 'text/plain',
    body: `HTTP header is larger than ${GATEWAY_QUOTAS.headerBytes} bytes.`,
  },
} as const satisfies Readonly<Record<string, AwsAnswer>>;

export type AwsAnswerName = keyof typeof awsAnswers;

/** Describes the answers of AWS with one of these statuses, in one sentence. */
export function describeAwsAnswers(statuses: readonly number[]): string {
  const chosen = Object.values<AwsAnswer>(awsAnswers).filter(({ statusCode }) => statuses.includes(statusCode));
  const parts = chosen.map(
    ({ cause, statusCode, contentType, body, orElse }) =>
      `${statusCode} \`${body}\` (\`${contentType}\`)${orElse ? ` or ${orElse}` : ''} if ${cause}`,
  );
  return `API Gateway itself answers, in a shape of its own and without our headers: ${parts.join('; ')}.`;
}
