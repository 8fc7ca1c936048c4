import { askAws, askAwsForText } from '../target/signed-request.ts';

// An SDK client for each of these services would be one for a single call; none of them has a local engine.
const QUERY_APIS = {
  cloudformation: {
    host: 'cloudformation',
    endpointVariable: 'AWS_ENDPOINT_URL_CLOUDFORMATION',
    version: '2010-05-15',
  },
  sns: { host: 'sns', endpointVariable: 'AWS_ENDPOINT_URL_SNS', version: '2010-03-31' },
} as const;

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

type QueryCall = {
  readonly api: keyof typeof QUERY_APIS;
  readonly action: string;
  readonly input: Readonly<Record<string, string>>;
  /** The region that is asked, if it is not that of the stack. */
  readonly region?: string | undefined;
};

/** Calls a service of the query protocol, and returns its XML. */
export function callQueryApi({ api, action, input, region }: QueryCall): Promise<string> {
  const { host, endpointVariable, version } = QUERY_APIS[api];
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams({ Action: action, Version: version, ...input }).toString();
  return askAwsForText({
    host,
    service: api,
    endpointVariable,
    region,
    path: '/',
    init: { method: 'POST', headers, body },
  });
}

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

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const unescapeXml = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|apos);/g, (whole, name: string) => ENTITIES[name] ?? whole);

/** Returns the text of the first element of this name; undefined if there is none. */
export function textOf(xml: string, element: string): string | undefined {
  const [, text] = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml) ?? [];
  return text === undefined ? undefined : unescapeXml(text);
}

/** Returns the flat members of the lists in an answer. */
export const membersOf = (xml: string): string[] =>
  [...xml.matchAll(/<member>([\s\S]*?)<\/member>/g)].map(([, member = '']) => member);
