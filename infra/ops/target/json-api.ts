import { askAwsForText } from './signed-request.ts';

// An SDK client for each of these services would be one for a single call; none of them has a local engine.
// CloudWatch's model names the JSON protocol beside that of queries (botocore's service-2.json, 2026-11-22).
const APIS = {
  cloudwatch: {
    host: 'monitoring',
    service: 'monitoring',
    endpointVariable: 'AWS_ENDPOINT_URL_CLOUDWATCH',
    target: 'GraniteServiceVersion20100801',
    version: '1.0',
  },
  events: {
    host: 'events',
    service: 'events',
    endpointVariable: 'AWS_ENDPOINT_URL_EVENTBRIDGE',
    target: 'AWSEvents',
    version: '1.1',
  },
  logs: {
    host: 'logs',
    service: 'logs',
    endpointVariable: 'AWS_ENDPOINT_URL_CLOUDWATCH_LOGS',
    target: 'Logs_20140328',
    version: '1.1',
  },
  sqs: {
    host: 'sqs',
    service: 'sqs',
    endpointVariable: 'AWS_ENDPOINT_URL_SQS',
    target: 'AmazonSQS',
    version: '1.0',
  },
} as const;

type JsonCall = {
  readonly api: keyof typeof APIS;
  readonly action: string;
  readonly input: object;
  /** The region that is asked, if it is not that of the stack. */
  readonly region?: string | undefined;
};

/** Calls a service of the JSON protocol; an operation without a result returns undefined. */
export async function callJsonApi({ api, action, input, region }: JsonCall): Promise<unknown> {
  const { target, version, ...request } = APIS[api];
  const headers = { 'Content-Type': `application/x-amz-json-${version}`, 'X-Amz-Target': `${target}.${action}` };
  const init = { method: 'POST', headers, body: JSON.stringify(input) };
  const text = await askAwsForText({ ...request, region, path: '/', init });
  return text === '' ? undefined : JSON.parse(text);
}
