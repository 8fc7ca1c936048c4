import type { AwsRequest, Service } from './aws-call.ts';

export type Answer = { readonly status: number; readonly type: string; readonly body: string };
/** An error that every service can answer. */
export type ServiceError = 'failure' | 'throttle' | 'malformed';

const answer = (status: number, type: string, body: string | object): Answer => ({
  status,
  type,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const AMZ_JSON = 'application/x-amz-json-1.0';
/** Returns an answer of DynamoDB. */
export const amzJson = (status: number, body: object): Answer => answer(status, AMZ_JSON, body);
const s3Error = (status: number, code: string) =>
  answer(status, 'application/xml', `<Error><Code>${code}</Code><Message>x</Message></Error>`);
const queryError = (status: number, code: string, type = 'Sender') =>
  answer(
    status,
    'application/xml',
    `<ErrorResponse><Error><Type>${type}</Type><Code>${code}</Code><Message>x</Message></Error></ErrorResponse>`,
  );
const facturapiError = (status: number, more: object = {}) =>
  answer(status, 'application/json', { ok: false, status, message: 'x', ...more });

export const DYNAMODB = 'com.amazonaws.dynamodb.v20120810#';
const ERRORS: Partial<Readonly<Record<Service, Readonly<Record<ServiceError, Answer>>>>> = {
  dynamodb: {
    failure: amzJson(500, { __type: `${DYNAMODB}InternalServerError`, message: 'Internal server error' }),
    throttle: amzJson(400, {
      __type: 'com.amazon.coral.availability#ThrottlingException',
      message: 'Rate of requests exceeds the allowed throughput.',
    }),
    malformed: answer(200, AMZ_JSON, '{"Item":{"pk":{"S":"CLI'),
  },
  s3: {
    failure: s3Error(500, 'InternalError'),
    throttle: s3Error(503, 'SlowDown'),
    malformed: answer(200, 'application/octet-stream', '<html><body>It works'),
  },
  ses: {
    failure: queryError(503, 'ServiceUnavailable', 'Receiver'),
    throttle: queryError(400, 'Throttling'),
    malformed: answer(200, 'text/xml', '<SendRawEmailResponse><SendRawEm'),
  },
  facturapi: {
    failure: facturapiError(500),
    throttle: facturapiError(429, { code: 'rate_limit_exceeded' }),
    malformed: answer(200, 'text/html', '<html><body>It works'),
  },
};

/** Returns an error in the format of the service. */
export function serviceError(service: Service, error: ServiceError): Answer {
  const found = ERRORS[service]?.[error];
  if (!found) throw new Error(`${service} has no error ${error} here`);
  return found;
}

// One empty answer serves every kind of read, each of which uses other fields.
export const NOTHING_YET = amzJson(200, { Items: [], Count: 0, ScannedCount: 0, Responses: {}, UnprocessedKeys: {} });
export const NO_SUCH_KEY = s3Error(404, 'NoSuchKey');

/** Returns the refusal of a call without permission. */
export const denial = ({ service }: AwsRequest): Answer =>
  service === 'dynamodb' || service === 'secretsmanager'
    ? amzJson(400, { __type: 'AccessDeniedException', message: 'not authorized' })
    : queryError(403, 'AccessDenied');

/** Returns the answer of a service without a local engine; undefined for those that have one. */
export function answerWithoutEngine(
  { service, body }: AwsRequest,
  secrets: Readonly<Record<string, string>>,
): Answer | undefined {
  if (service === 'events') return amzJson(200, toEventIds(JSON.parse(body)));
  if (service !== 'secretsmanager') return undefined;
  const { SecretId } = JSON.parse(body);
  return amzJson(200, { ARN: SecretId, SecretString: secrets[SecretId] });
}

const toEventIds = ({ Entries }: { Entries: readonly object[] }) => ({
  FailedEntryCount: 0,
  Entries: Entries.map((_, index) => ({ EventId: String(index) })),
});
