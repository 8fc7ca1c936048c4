import { tmpdir } from 'node:os';
import { expect, it, vi } from 'vitest';
import { type CatalogSource, currentCatalog } from '../../../shared/catalog/current.ts';
import { openScriptedApi } from '../../support/engines/scripted-api.ts';

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

/** Returns the request for the pointer of a source. */
async function captureRequest(source: Partial<CatalogSource>) {
  const { url, heard } = await openScriptedApi({ status: 403 });
  const endpoint = new URL(url).origin;
  await expect(currentCatalog({ ...SOURCE, endpoint, pathStyle: true, ...source })()).rejects.toMatchObject(
    UNAVAILABLE,
  );
  return heard.find(({ line }) => line.endsWith('/current.json'));
}

// This stub replaces AWS, which no test can reach.
it.each([
  [false, 'https://catalogs.s3.mx-central-1.amazonaws.com/current.json'],
  [true, 'https://s3.mx-central-1.amazonaws.com/catalogs/current.json'],
])('the bucket of AWS is asked at its regional address (path style %s)', async (pathStyle, address) => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    asked.push(request.url);
    return new Response(null, { status: 403 });
  });
  await expect(currentCatalog({ ...SOURCE, pathStyle })()).rejects.toMatchObject(UNAVAILABLE);
  vi.unstubAllGlobals();
  expect(asked).toContain(address);
});

it('requests are signed for S3 and the region', async () => {
  const asked = await captureRequest({});
  expect(asked?.line).toBe('GET /catalogs/current.json');
  expect(asked?.headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/mx-central-1\/s3\/aws4_request, /,
  );
});

it('the session token of temporary credentials goes with them, and none without', async () => {
  const credentials = { ...SOURCE.credentials, sessionToken: 'of the function' };
  expect((await captureRequest({ credentials }))?.headers['x-amz-security-token']).toBe('of the function');
  expect((await captureRequest({}))?.headers).not.toHaveProperty('x-amz-security-token');
});
