import {
  APIGatewayClient,
  ConflictException,
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  GetApiKeysCommand,
  NotFoundException,
  paginateGetApiKeys,
  UpdateApiKeyCommand,
} from '@aws-sdk/client-api-gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { functionInvoker } from '../../../shared/runtime/job-clients.ts';
import { sendHttp } from '../../support/http/http.ts';
import { openTestGateway, TEST_KEY, type TestGateway } from '../../support/servers/test-gateway.ts';

const SHORTAGE = { es: 'Quedan 150 MB.', en: 'Only 150 MB are free.' };

let gateway: TestGateway;
let client: APIGatewayClient;

/** The gateway's answer about the disk of its data folder. */
let shortage: typeof SHORTAGE | null;
beforeEach(async () => {
  shortage = null;
  gateway = await openTestGateway({ disk: () => ({ directory: '/data', freeBytes: 150_000_000, shortage }) });
  client = new APIGatewayClient({
    endpoint: `${new URL(gateway.url).origin}/_control`,
    region: 'mx-central-1',
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    maxAttempts: 1,
  });
});
afterEach(async () => {
  client.destroy();
  await gateway.close();
});

const statusWith = async (key: string | undefined): Promise<number> => {
  const headers = { 'X-API-Key': key ?? '' };
  return (await sendHttp(gateway.url, '/v2/api/things/', { method: 'GET', headers })).status;
};
const enrol = (keyId: string | undefined, usagePlanId = 'local') =>
  client.send(new CreateUsagePlanKeyCommand({ usagePlanId, keyId, keyType: 'API_KEY' }));

describe('a new API key', () => {
  it('has a value of its own and is accepted once it is in the usage plan', async () => {
    const key = await client.send(new CreateApiKeyCommand({ name: 'shop', enabled: true }));
    expect(key).toMatchObject({ name: 'shop', enabled: true });
    expect(key.id).toMatch(/^[a-z0-9]{10}$/);
    expect(key.value).toMatch(/^[a-z0-9]{40}$/);
    expect(key.createdDate).toBeInstanceOf(Date);
    expect(await statusWith(key.value)).toBe(403);
    expect(await enrol(key.id)).toMatchObject({ id: key.id, value: key.value, type: 'API_KEY', name: 'shop' });
    expect(await statusWith(key.value)).toBe(200);
  });

  it('is disabled unless it is created enabled', async () => {
    const { id, value } = await client.send(new CreateApiKeyCommand({ name: 'shop' }));
    await enrol(id);
    expect(await statusWith(value)).toBe(403);
  });

  it('can be added only to an existing usage plan, and only once', async () => {
    const { id } = await client.send(new CreateApiKeyCommand({ name: 'shop', enabled: true }));
    await expect(enrol(id, 'other')).rejects.toBeInstanceOf(NotFoundException);
    await expect(enrol('unknown')).rejects.toBeInstanceOf(NotFoundException);
    await enrol(id);
    await expect(enrol(id)).rejects.toBeInstanceOf(ConflictException);
  });
});

describe('a known API key', () => {
  it('can be disabled and enabled again', async () => {
    const apiKey = gateway.keys.find(TEST_KEY)?.id;
    const set = (value: string) =>
      client.send(new UpdateApiKeyCommand({ apiKey, patchOperations: [{ op: 'replace', path: '/enabled', value }] }));
    expect(await set('false')).toMatchObject({ id: apiKey, enabled: false });
    expect(await statusWith(TEST_KEY)).toBe(403);
    expect(await set('true')).toMatchObject({ id: apiKey, enabled: true });
    expect(await statusWith(TEST_KEY)).toBe(200);
  });

  it('cannot be changed otherwise', async () => {
    const apiKey = gateway.keys.find(TEST_KEY)?.id;
    const patchOperations = [{ op: 'replace' as const, path: '/value', value: 'an-api-key-of-our-own-choice' }];
    const command = new UpdateApiKeyCommand({ apiKey, patchOperations });
    await expect(client.send(command)).rejects.toMatchObject({ name: 'BadRequestException' });
  });

  it('can be deleted', async () => {
    const apiKey = gateway.keys.find(TEST_KEY)?.id;
    await client.send(new DeleteApiKeyCommand({ apiKey }));
    expect(await statusWith(TEST_KEY)).toBe(403);
    await expect(client.send(new DeleteApiKeyCommand({ apiKey }))).rejects.toBeInstanceOf(NotFoundException);
  });
});

it('lists API keys in pages, without their values', async () => {
  await client.send(new CreateApiKeyCommand({ name: 'shop one' }));
  await client.send(new CreateApiKeyCommand({ name: 'shop two' }));
  const pages = [];
  for await (const { items = [] } of paginateGetApiKeys({ client }, { limit: 2 })) pages.push(items);
  expect(pages.map((page) => page.map(({ name, value }) => ({ name, value })))).toEqual([
    [{ name: 'test' }, { name: 'shop one' }],
    [{ name: 'shop two' }],
  ]);
});

it('refuses unsigned requests, such as those of a page in a browser, and has no other operation', async () => {
  const { origin } = new URL(gateway.url);
  const unsigned = await sendHttp(origin, '/_control/apikeys', { method: 'POST', body: '{"name":"page"}' });
  expect(unsigned).toMatchObject({ status: 403, body: { message: 'Missing Authentication Token' } });
  expect(gateway.keys.list().map(({ name }) => name)).toEqual(['test']);
  const headers = { Authorization: 'AWS4-HMAC-SHA256 Credential=x' };
  expect((await sendHttp(origin, '/_control/restapis', { method: 'GET', headers })).status).toBe(404);
  const broken = await sendHttp(origin, '/_control/apikeys', { method: 'POST', headers, body: '{' });
  expect(broken).toMatchObject({ status: 400, headers: { 'x-amzn-errortype': 'BadRequestException' } });
});

it('passes the event of an invocation on and does not wait; an unknown function is refused', async () => {
  const events: [string, unknown][] = [];
  const invokeFunction = (name: string, event: unknown) => {
    if (name === 'jobs-deliver-webhooks') events.push([name, event]);
    return name === 'jobs-deliver-webhooks';
  };
  const own = await openTestGateway({ invokeFunction });
  Object.assign(process.env, {
    AWS_REGION: 'mx-central-1',
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
    AWS_ENDPOINT_URL_LAMBDA: `${new URL(own.url).origin}/_control`,
  });
  await functionInvoker('jobs-deliver-webhooks:live')({ clientId: 1, endpointId: 2 });
  await functionInvoker('jobs-deliver-webhooks')({ clientId: 1, endpointId: 3 });
  await expect(functionInvoker('jobs-other')({})).rejects.toMatchObject({ $metadata: { httpStatusCode: 404 } });
  expect(events).toEqual([
    ['jobs-deliver-webhooks', { clientId: 1, endpointId: 2 }],
    ['jobs-deliver-webhooks', { clientId: 1, endpointId: 3 }],
  ]);
  await own.close();
});

it('reads keys and changes none while the disk of the data folder is short', async () => {
  const key = await client.send(new CreateApiKeyCommand({ name: 'shop', enabled: true }));
  shortage = SHORTAGE;
  expect((await client.send(new GetApiKeysCommand({}))).items).toMatchObject([{ name: 'test' }, { name: 'shop' }]);
  await expect(client.send(new DeleteApiKeyCommand({ apiKey: key.id }))).rejects.toMatchObject({
    message: 'Only 150 MB are free.',
  });
  await expect(enrol(key.id)).rejects.toMatchObject({ $metadata: { httpStatusCode: 503 } });
  const invocation = '/_control/2015-03-31/functions/jobs-deliver-webhooks/invocations';
  const headers = { authorization: 'AWS4-HMAC-SHA256 x' };
  expect((await sendHttp(gateway.url, invocation, { method: 'POST', headers, body: '{}' })).status).toBe(503);
});
