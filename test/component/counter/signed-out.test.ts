import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Counter } from '../../../infra/counter/server/server.ts';
import { enterCredentials } from '../../../infra/ops/target.ts';
import { openTestCounter } from '../../support/counter/counter-world.ts';
import { sendHttp } from '../../support/http/http.ts';
import { type Loopback, loopback } from '../../support/http/loopback.ts';
import { useServer } from '../../support/servers/test-server.ts';

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
/** The key whose session has not ended. */
let valid = '';

useServer();
let aws: Loopback;
let counter: Counter;
beforeAll(async () => {
  // As DynamoDB and S3 answer after the end of a session, and before it of what is empty.
  aws = await loopback(({ headers }, response) => {
    const isDynamoDb = headers['x-amz-target'] !== undefined;
    const isValid = valid !== '' && headers.authorization?.includes(`Credential=${valid}/`);
    response.writeHead(isValid ? 200 : 400, { 'Content-Type': isDynamoDb ? 'application/x-amz-json-1.0' : 'text/xml' });
    if (isDynamoDb) response.end(isValid ? '{}' : refusal.dynamoDb);
    else response.end(isValid ? '<ListAllMyBucketsResult/>' : refusal.s3);
  });
  Object.assign(process.env, { AWS_ENDPOINT_URL_DYNAMODB: aws.url, AWS_ENDPOINT_URL_S3: aws.url });
  counter = await openTestCounter();
});
afterAll(async () => {
  await counter.close();
  await aws.close();
});

const run = (name: string, body: object) =>
  sendHttp(new URL(counter.address).origin, `/commands/${name}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${counter.token}` },
    body,
  }).then(({ status, body: answer }) => ({ status, ...answer }));

const SIGNED_OUT = { status: 502, code: 'signed_out' };

it.each([
  ['orders-move', { id: 1, to: 'approved' }, ' (dynamodb:GetItem)'],
  ['catalog-versions', {}, ''],
])('%s says that the session of AWS has expired, or that the credentials lack a right', async (name, input, right) => {
  expect(await run(name, input)).toMatchObject(SIGNED_OUT);
  refusal = DENIED;
  const denied = await run(name, input);
  refusal = EXPIRED;
  expect(denied).toMatchObject({ status: 502, code: 'not_allowed' });
  expect(denied.text).toContain(right);
});

it('says so where no credentials can be found', async () => {
  for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, '/dev/null');
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
  expect(await run('catalog-versions', {})).toMatchObject(SIGNED_OUT);
});

/** Makes a profile that signs in by a program; returns what sets the keys that it gives. */
async function makeProfile() {
  const folder = await mkdtemp(join(tmpdir(), 'profile-'));
  const inFolder = (name: string) => join(folder, name);
  const [program, config, keys] = [inFolder('sign-in'), inFolder('config'), inFolder('keys')];
  await writeFile(program, `#!/bin/sh\ncat ${keys}\n`);
  await chmod(program, 0o700);
  await writeFile(config, `[profile pharmacy]\ncredential_process = ${program}\n`);
  vi.stubEnv('AWS_CONFIG_FILE', config);
  vi.stubEnv('AWS_PROFILE', 'pharmacy');
  for (const name of ['ACCESS_KEY_ID', 'SECRET_ACCESS_KEY', 'SESSION_TOKEN', 'CREDENTIAL_EXPIRATION']) {
    vi.stubEnv(`AWS_${name}`, undefined);
  }
  return (key: string, minutes: number) => {
    const Expiration = new Date(Date.now() + minutes * 60_000).toISOString();
    const given = { Version: 1, AccessKeyId: key, SecretAccessKey: 'secret', SessionToken: 'session', Expiration };
    return writeFile(keys, JSON.stringify(given));
  };
}

// Comes last, as the counter goes on with this profile.
it('renews the keys of a profile before they end, those of clients that are kept as well', async () => {
  const give = await makeProfile();
  await give('AKIAFIRST', 4);
  await enterCredentials();
  valid = 'AKIAFIRST';
  const kept = new S3Client({ forcePathStyle: true });
  const show = async () => (await run('orders-show', { id: 1 })).code;
  const list = () =>
    kept.send(new ListBucketsCommand({})).then(
      () => 'listed',
      ({ name }) => name,
    );
  expect([await show(), await list()]).toEqual(['not_found', 'listed']);
  await give('AKIASECOND', 60);
  valid = 'AKIASECOND';
  await expect.poll(show).toBe('not_found');
  await expect.poll(list).toBe('listed');
  valid = '';
  expect(await run('orders-show', { id: 1 })).toMatchObject(SIGNED_OUT);
});
