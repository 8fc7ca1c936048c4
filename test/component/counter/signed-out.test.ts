import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Counter } from '../../../infra/ops/counter/server/server.ts';
import { openTestCounter } from '../../support/counter/counter-world.ts';
import { sendHttp } from '../../support/http/http.ts';
import { openTestServer } from '../../support/servers/test-server.ts';

const inDynamoDb = (name: string, message: string) =>
  JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message });
const inS3 = (code: string, message: string) => `<Error><Code>${code}</Code><Message>${message}</Message></Error>`;

const EXPIRED = {
  dynamoDb: inDynamoDb('ExpiredTokenException', 'The token is expired'),
  s3: inS3('ExpiredToken', 'The provided token has expired.'),
};
const ROLE = 'User: arn:aws:sts::123456789012:assumed-role/Counter/eva is not authorized to perform:';
const DENIED = {
  dynamoDb: inDynamoDb('AccessDeniedException', `${ROLE} dynamodb:GetItem on resource: arn:aws:dynamodb:…`),
  s3: inS3('AccessDenied', 'Access Denied'),
};

/** The answers of AWS to keys whose session has ended, or that lack a right. */
let refusal = EXPIRED;
/** AWS, as DynamoDB and S3 refuse a call. */
const aws: Server = createServer(({ headers }, response) => {
  const isDynamoDb = headers['x-amz-target'] !== undefined;
  response.writeHead(400, { 'Content-Type': isDynamoDb ? 'application/x-amz-json-1.0' : 'application/xml' });
  response.end(isDynamoDb ? refusal.dynamoDb : refusal.s3);
});

let counter: Counter;
beforeAll(async () => {
  // Its settings stay when it is closed.
  await (await openTestServer()).close();
  await new Promise<void>((resolve) => aws.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(aws.address() as AddressInfo).port}`;
  Object.assign(process.env, { AWS_ENDPOINT_URL_DYNAMODB: endpoint, AWS_ENDPOINT_URL_S3: endpoint });
  counter = await openTestCounter();
});
afterAll(async () => {
  await counter.close();
  aws.close();
});

const run = (name: string, body: object) =>
  sendHttp(new URL(counter.address).origin, `/commands/${name}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${counter.token}` },
    body,
  });

const SIGNED_OUT = {
  code: 'signed_out',
  es: 'La sesión de AWS terminó o no hay credenciales: inicie sesión en AWS y arranque de nuevo el mostrador en la terminal.',
  en: 'The AWS session has expired, or there are no credentials: sign in to AWS, and start the counter again in the terminal.',
};

it.each([
  ['orders-show', { id: 1 }],
  ['orders-move', { id: 1, to: 'approved' }],
  ['catalog-versions', {}],
])('%s says in both languages that the session of AWS has expired', async (name, input) => {
  const { status, body } = await run(name, input);
  expect([status, body]).toEqual([502, SIGNED_OUT]);
});

it('says so where no credentials can be found', async () => {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env;
  Object.assign(process.env, { AWS_EC2_METADATA_DISABLED: 'true', AWS_CONFIG_FILE: '/dev/null' });
  process.env.AWS_SHARED_CREDENTIALS_FILE = '/dev/null';
  delete process.env.AWS_ACCESS_KEY_ID;
  const { status, body } = await run('catalog-versions', {});
  Object.assign(process.env, { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY });
  expect([status, body]).toEqual([502, SIGNED_OUT]);
});

it.each([
  ['orders-show', { id: 1 }, ' (dynamodb:GetItem)'],
  ['orders-move', { id: 1, to: 'approved' }, ' (dynamodb:GetItem)'],
  ['catalog-versions', {}, ''],
])('%s says in both languages that the credentials lack a right', async (name, input, right) => {
  refusal = DENIED;
  const { status, body } = await run(name, input);
  refusal = EXPIRED;
  expect([status, body]).toEqual([
    502,
    {
      code: 'not_allowed',
      es: `AWS no permite esto con sus credenciales${right}: pida el permiso a quien administra la cuenta.`,
      en: `AWS does not allow this with your credentials${right}: ask whoever administers the account for the permission.`,
    },
  ]);
});
