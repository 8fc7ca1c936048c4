import { randomUUID } from 'node:crypto';
import {
  CreateBucketCommand,
  HeadBucketCommand,
  ListObjectsCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { handler } from '../../../infra/cloud/removal/clear-stage.ts';
import { openScriptedApi } from '../../support/engines/scripted-api.ts';
import { captureOutput } from '../../support/operators/output.ts';
import { openServer, type TestServer } from '../../support/servers/test-server.ts';

const STACK = 'arn:aws:cloudformation:mx-central-1:111122223333:stack/Pharmacy-demo/a1';

let server: TestServer;
let s3: S3Client;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  server = await openServer();
  s3 = new S3Client({ forcePathStyle: true });
  environment = { ...process.env };
});
afterAll(async () => {
  s3.destroy();
  await server.close();
});
beforeEach(() => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment);
});

const stackXml = (status: string): string =>
  `<DescribeStacksResponse><StackId>${STACK}</StackId><StackStatus>${status}</StackStatus></DescribeStacksResponse>`;

type Outcome = { readonly Status: string; readonly Reason?: string; readonly PhysicalResourceId: string };

/** Calls the function as CloudFormation does while the stack has this status, and returns what it answers. */
async function send(
  RequestType: CloudFormationCustomResourceEvent['RequestType'],
  stackStatus: string,
  properties: object,
): Promise<Outcome> {
  const cloudFormation = await openScriptedApi({
    status: 200,
    body: stackXml(stackStatus),
  });
  process.env.AWS_ENDPOINT_URL_CLOUDFORMATION = new URL(cloudFormation.url).origin;
  const response = await openScriptedApi({ status: 200 });
  const event = {
    RequestType,
    ServiceToken: 'arn:aws:lambda:mx-central-1:111122223333:function:clear',
    ResponseURL: response.url,
    StackId: STACK,
    RequestId: 'r1',
    LogicalResourceId: 'RemovalBuckets',
    PhysicalResourceId: 'RemovalBuckets',
    ResourceType: 'Custom::ClearedBuckets',
    ResourceProperties: { ServiceToken: 'x', ...properties },
  };
  await handler(event as unknown as CloudFormationCustomResourceEvent);
  const [{ line, body, headers } = { line: '', body: '{}', headers: {} }] = response.heard;
  expect(line).toBe('PUT /v2');
  // The address is signed for a request without a type.
  expect(headers).not.toHaveProperty('content-type');
  const answer = JSON.parse(body);
  expect(answer).toMatchObject({ StackId: STACK, RequestId: 'r1', LogicalResourceId: 'RemovalBuckets' });
  return answer;
}

async function filledBucket(objects: number): Promise<string> {
  const Bucket = `stage-${randomUUID()}`;
  await s3.send(new CreateBucketCommand({ Bucket }));
  for (let n = 0; n < objects; n++) {
    await s3.send(new PutObjectCommand({ Bucket, Key: `prescriptions/${n}/receta ñ.pdf`, Body: 'x' }));
  }
  return Bucket;
}
const countObjects = async (Bucket: string) =>
  ((await s3.send(new ListObjectsCommand({ Bucket }))).Contents ?? []).length;

describe('when the stack is removed', () => {
  it.each(['DELETE_IN_PROGRESS', 'ROLLBACK_IN_PROGRESS'])('its buckets are emptied (%s)', async (status) => {
    const buckets = [await filledBucket(3), await filledBucket(0)];
    expect(await send('Delete', status, { buckets })).toMatchObject({
      Status: 'SUCCESS',
      PhysicalResourceId: 'RemovalBuckets',
    });
    for (const bucket of buckets) {
      expect(await countObjects(bucket)).toBe(0);
      await s3.send(new HeadBucketCommand({ Bucket: bucket }));
    }
  });

  it('every version of an object is removed, and the marker of a removed one', async () => {
    const versions = `<?xml version="1.0" encoding="UTF-8"?><ListVersionsResult>
      <IsTruncated>false</IsTruncated>
      <Version><Key>a</Key><VersionId>v1</VersionId><LastModified>2026-11-22T00:00:00.000Z</LastModified></Version>
      <DeleteMarker><Key>a</Key><VersionId>v2</VersionId><LastModified>2026-11-22T00:00:00.000Z</LastModified></DeleteMarker>
      </ListVersionsResult>`;
    const api = await openScriptedApi({ status: 200, body: versions }, { status: 200, body: '<DeleteResult/>' });
    process.env.AWS_ENDPOINT_URL_S3 = new URL(api.url).origin;
    expect(await send('Delete', 'DELETE_IN_PROGRESS', { buckets: ['stage'] })).toMatchObject({ Status: 'SUCCESS' });
    expect(api.heard.map(({ line }) => line.split('?')[0])).toEqual(['GET /stage/', 'POST /stage/']);
    const removed = [...(api.heard[1]?.body ?? '').matchAll(/<Key>(\w+)<\/Key><VersionId>(\w+)<\/VersionId>/g)];
    expect(removed.map(([, key, version]) => [key, version])).toEqual([
      ['a', 'v1'],
      ['a', 'v2'],
    ]);
  });

  it('the API keys in its usage plan are removed, but one that was not made for it, whose removal IAM refuses', async () => {
    captureOutput();
    const api = await openScriptedApi(
      { status: 200, body: { item: [{ id: 'foreign' }, { id: 'own' }] } },
      { status: 403, headers: { 'x-amzn-ErrorType': 'AccessDeniedException' }, body: { message: 'not authorized' } },
      { status: 202 },
    );
    process.env.AWS_ENDPOINT_URL_API_GATEWAY = new URL(api.url).origin;
    expect(await send('Delete', 'DELETE_IN_PROGRESS', { usagePlanId: 'plan' })).toMatchObject({ Status: 'SUCCESS' });
    expect(api.heard.map(({ line }) => line)).toEqual([
      'GET /usageplans/plan/keys?limit=500',
      'DELETE /apikeys/foreign',
      'DELETE /apikeys/own',
    ]);
  });

  it('a failure stops the removal, with its reason', async () => {
    const api = await openScriptedApi({ status: 403, body: '<Error><Code>AccessDenied</Code></Error>' });
    process.env.AWS_ENDPOINT_URL_S3 = new URL(api.url).origin;
    expect(await send('Delete', 'DELETE_IN_PROGRESS', { buckets: ['stage'] })).toMatchObject({
      Status: 'FAILED',
      Reason: expect.stringContaining('AccessDenied'),
    });
  });
});

describe('nothing is removed', () => {
  it.each([
    ['Create', 'CREATE_IN_PROGRESS'],
    ['Update', 'UPDATE_IN_PROGRESS'],
    // The setting `dataOnRemoval` has become `kept`.
    ['Delete', 'UPDATE_COMPLETE_CLEANUP_IN_PROGRESS'],
    ['Delete', 'UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS'],
  ] as const)('by a %s while the stack is %s', async (type, status) => {
    const bucket = await filledBucket(1);
    const gateway = await openScriptedApi({ status: 200, body: { item: [{ id: 'own' }] } });
    process.env.AWS_ENDPOINT_URL_API_GATEWAY = new URL(gateway.url).origin;
    expect(await send(type, status, { buckets: [bucket], usagePlanId: 'plan' })).toMatchObject({
      Status: 'SUCCESS',
      PhysicalResourceId: 'RemovalBuckets',
    });
    expect([await countObjects(bucket), gateway.heard]).toEqual([1, []]);
  });
});
