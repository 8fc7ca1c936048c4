import { tmpdir } from 'node:os';
import { S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type CatalogBucket, listKeys, readObject, replaceObject } from '../../../shared/catalog/bucket.ts';
import { type CatalogSource, currentCatalog } from '../../../shared/catalog/current.ts';
import { LOCAL_S3_CREDENTIALS } from '../../support/engines/local-s3.ts';
import { openScriptedApi, type Scripted } from '../../support/engines/scripted-api.ts';

// What is asked of the bucket, and what its answers mean, where no local S3 gives them.

const toAnswer = (status: number, body = ''): Scripted => {
  return { status, body, headers: { 'Content-Type': 'application/xml' } };
};
const toError = (status: number, code: string): Scripted =>
  toAnswer(status, `<Error><Code>${code}</Code><Message>no</Message></Error>`);

/** Returns a bucket of an S3 that gives these answers, and the requests that it got. */
async function openBucket(...script: readonly Scripted[]) {
  const { url, heard } = await openScriptedApi(...script);
  const s3 = new S3Client({
    endpoint: new URL(url).origin,
    region: 'mx-central-1',
    credentials: LOCAL_S3_CREDENTIALS,
    forcePathStyle: true,
    maxAttempts: 1,
  });
  onTestFinished(() => s3.destroy());
  const bucket: CatalogBucket = { s3, name: 'catalogs' };
  return { bucket, heard };
}

describe('an object of the bucket', () => {
  it.each([
    [true, toAnswer(200)],
    [false, toError(409, 'ConditionalRequestConflict')],
    [false, toError(412, 'PreconditionFailed')],
  ])('is replaced only as it was read: %s', async (isReplaced, answer) => {
    const { bucket, heard } = await openBucket(answer);
    expect(await replaceObject(bucket, 'current.json', '{}', '"etag"')).toBe(isReplaced);
    expect(await replaceObject(bucket, 'current.json', '{}', undefined)).toBe(isReplaced);
    expect(heard.map(({ headers }) => [headers['if-match'], headers['if-none-match']])).toEqual([
      ['"etag"', undefined],
      [undefined, '*'],
    ]);
  });

  it('is undefined if it is missing, and any other failure is thrown', async () => {
    expect(await readObject((await openBucket(toError(404, 'NoSuchKey'))).bucket, 'current.json')).toBeUndefined();
    const { bucket } = await openBucket(toError(403, 'AccessDenied'));
    await expect(readObject(bucket, 'current.json')).rejects.toThrow('no');
    await expect(replaceObject(bucket, 'current.json', '{}', '"etag"')).rejects.toThrow('no');
  });

  it('is listed from page to page', async () => {
    const toPage = (isTruncated: boolean, ...keys: readonly string[]) => {
      const contents = keys.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('');
      return toAnswer(200, `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${contents}</ListBucketResult>`);
    };
    const { bucket, heard } = await openBucket(toPage(true, 'a/1', 'a/2'), toPage(false, 'a/3'));
    expect(await listKeys(bucket, 'a/')).toEqual(['a/1', 'a/2', 'a/3']);
    const asked = heard.map(({ line }) => new URL(line.slice('GET '.length), 'http://s3').searchParams);
    expect(asked.map((query) => [query.get('prefix'), query.get('start-after')])).toEqual([
      ['a/', null],
      ['a/', 'a/2'],
    ]);
  });
});

describe('the current catalog', () => {
  const SOURCE: CatalogSource = {
    bucket: 'catalogs',
    directory: tmpdir(),
    imageBaseUrl: 'https://images.example/',
    region: 'mx-central-1',
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
    pathStyle: false,
    now: () => 0,
  };
  const UNAVAILABLE = { code: 'unavailable', retryAfterSeconds: 5 };

  // This stub replaces AWS, which no test can reach.
  it.each([
    [false, 'https://catalogs.s3.mx-central-1.amazonaws.com/current.json'],
    [true, 'https://s3.mx-central-1.amazonaws.com/catalogs/current.json'],
  ])('is asked for at the regional address of AWS (path style %s)', async (pathStyle, address) => {
    const asked: string[] = [];
    vi.stubGlobal('fetch', async (request: Request) => {
      asked.push(request.url);
      return new Response(null, { status: 403 });
    });
    await expect(currentCatalog({ ...SOURCE, pathStyle })()).rejects.toMatchObject(UNAVAILABLE);
    vi.unstubAllGlobals();
    expect(asked).toContain(address);
  });

  it.each([undefined, 'of the function'])(
    'is asked for with a signature, and the session token %s',
    async (sessionToken) => {
      const { url, heard } = await openScriptedApi({ status: 403 });
      const credentials = { ...SOURCE.credentials, ...(sessionToken && { sessionToken }) };
      const source = { ...SOURCE, endpoint: new URL(url).origin, pathStyle: true, credentials };
      await expect(currentCatalog(source)()).rejects.toMatchObject(UNAVAILABLE);
      const request = heard.find(({ line }) => line === 'GET /catalogs/current.json');
      expect(request?.headers.authorization).toMatch(
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/mx-central-1\/s3\/aws4_request, /,
      );
      expect(request?.headers['x-amz-security-token']).toBe(sessionToken);
    },
  );
});
