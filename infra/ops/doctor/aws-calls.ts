import { askAws, askAwsForText } from '../target/signed-request.ts';

// An SDK client for each of these services would be one for a single call; none of them has a local engine.
// CloudWatch's model names the JSON protocol beside that of queries (botocore's service-2.json, 2026-11-22).
const JSON_APIS = {
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
  sqs: {
    host: 'sqs',
    service: 'sqs',
    endpointVariable: 'AWS_ENDPOINT_URL_SQS',
    target: 'AmazonSQS',
    version: '1.0',
  },
} as const;

type JsonCall = {
  readonly api: keyof typeof JSON_APIS;
  readonly action: string;
  readonly input: object;
  /** The region that is asked, if it is not that of the stack. */
  readonly region?: string | undefined;
};

/** Calls a service of the JSON protocol; an operation without a result returns undefined. */
export async function callJsonApi({ api, action, input, region }: JsonCall): Promise<unknown> {
  const { target, version, ...request } = JSON_APIS[api];
  const headers = { 'Content-Type': `application/x-amz-json-${version}`, 'X-Amz-Target': `${target}.${action}` };
  const init = { method: 'POST', headers, body: JSON.stringify(input) };
  const text = await askAwsForText({ ...request, region, path: '/', init });
  return text === '' ? undefined : JSON.parse(text);
}

/** Calls Lambda's API, which is REST. */
export const callLambda = (path: string): Promise<unknown> =>
  askAws({ host: 'lambda', service: 'lambda', endpointVariable: 'AWS_ENDPOINT_URL_LAMBDA', path });
