import { S3Client } from '@aws-sdk/client-s3';
import { expect, it, onTestFinished } from 'vitest';
import { type CatalogBucket, readObject, replaceObject } from '../../../shared/catalog/bucket.ts';
import { LOCAL_S3_CREDENTIALS } from '../../support/engines/local-s3.ts';
import { openScriptedApi } from '../../support/engines/scripted-api.ts';

/** Returns a bucket of an S3 that answers every request with this status and error code. */
async function bucketThatAnswers(status: number, code?: string): Promise<CatalogBucket> {
  const body = code === undefined ? '' : `<Error><Code>${code}</Code><Message>no</Message></Error>`;
  const { url } = await openScriptedApi({ status, body, headers: { 'Content-Type': 'application/xml' } });
  const s3 = new S3Client({
    endpoint: new URL(url).origin,
    region: 'mx-central-1',
    credentials: LOCAL_S3_CREDENTIALS,
    forcePathStyle: true,
    maxAttempts: 1,
  });
  onTestFinished(() => s3.destroy());
  return { s3, name: 'catalogs' };
}

it('an object that has not changed since it was read is replaced', async () => {
  const bucket = await bucketThatAnswers(200);
  expect(await replaceObject(bucket, 'current.json', '{}', '"etag"')).toBe(true);
});

it.each([
  [409, 'ConditionalRequestConflict'],
  [412, 'PreconditionFailed'],
])('an object that another process has written meanwhile is not replaced: %i %s', async (status, code) => {
  const bucket = await bucketThatAnswers(status, code);
  expect(await replaceObject(bucket, 'current.json', '{}', '"etag"')).toBe(false);
});

it('any other failure to replace an object is thrown', async () => {
  const bucket = await bucketThatAnswers(403, 'AccessDenied');
  await expect(replaceObject(bucket, 'current.json', '{}', '"etag"')).rejects.toThrow('no');
});

it('a missing object is undefined, and a forbidden one throws', async () => {
  expect(await readObject(await bucketThatAnswers(404, 'NoSuchKey'), 'current.json')).toBeUndefined();
  const forbidden = await bucketThatAnswers(403, 'AccessDenied');
  await expect(readObject(forbidden, 'current.json')).rejects.toThrow('no');
});
