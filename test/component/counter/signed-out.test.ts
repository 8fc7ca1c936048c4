import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Counter } from '../../../infra/ops/counter/server/server.ts';
import { openTestCounter } from '../../support/counter/counter-world.ts';
import { sendHttp } from '../../support/http/http.ts';
import { openTestServer } from '../../support/servers/test-server.ts';

const DYNAMODB = { __type: 'com.amazonaws.dynamodb.v20120810#ExpiredTokenException', message: 'The token is expired' };
const S3 = '<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>';

/** AWS after the end of a session, as DynamoDB and S3 answer then. */
const aws: Server = createServer((request, response) => {
  const isDynamoDb = request.headers['x-amz-target'] !== undefined;
  response.writeHead(400, { 'Content-Type': isDynamoDb ? 'application/x-amz-json-1.0' : 'application/xml' });
  response.end(isDynamoDb ? JSON.stringify(DYNAMODB) : S3);
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
