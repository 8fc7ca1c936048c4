import { S3Client } from '@aws-sdk/client-s3';
import { beforeAll, expect, inject, it, vi } from 'vitest';
import { handler as watchCatalog } from '../../../functions/jobs/watch-catalog.ts';
import { smallCatalog } from '../../support/catalogs/small-catalog.ts';
import { openCatalogBucket, publishRecords } from '../../support/engines/catalog-bucket.ts';
import { captureOutput } from '../../support/operators/output.ts';

beforeAll(async () => {
  Object.assign(process.env, inject('serverEnvironment'));
  await openCatalogBucket();
});

it('a catalog that is published while the job looks at the bucket is no failure', async () => {
  await publishRecords(smallCatalog());
  const next = smallCatalog();
  next.products = next.products.filter(({ id }) => id !== 101);
  const send = S3Client.prototype.send;
  // The job's first call reads the pointer.
  vi.spyOn(S3Client.prototype, 'send').mockImplementationOnce(async function (this: S3Client, ...call) {
    const answer = await Reflect.apply(send, this, call);
    await publishRecords(next);
    return answer;
  });
  const output = captureOutput();
  await watchCatalog();
  vi.restoreAllMocks();
  expect(output.join('')).toContain('"catalogAgeHours"');
});
