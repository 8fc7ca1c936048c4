import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { putObject, readPointer } from '../../../shared/catalog/bucket.ts';
import { packSnapshot } from '../../../shared/catalog/file/snapshot.ts';
import { readRecord, readSnapshot, storeRecord, storeSnapshot } from '../../../shared/catalog/publishing/versions.ts';
import { catalogFolder, removeCatalogFolders, type smallCatalog } from '../../support/catalogs/small-catalog.ts';
import { catalogWithSubstitutes, changedCatalog } from '../../support/catalogs/two-catalogs.ts';
import { type LocalS3, startLocalS3 } from '../../support/engines/local-s3.ts';
import { operate } from '../../support/operators/operator.ts';

let s3: LocalS3;
let first: string;
let second: string;

beforeAll(async () => {
  // `--local` uses this bucket.
  s3 = await startLocalS3('pharmacy-catalog');
  useIt();
  first = await publish(catalogWithSubstitutes());
  second = await publish(changedCatalog());
});
beforeEach(useIt);
afterAll(async () => {
  removeCatalogFolders();
  await s3.stop();
});

function useIt(): void {
  vi.stubEnv('AWS_ENDPOINT_URL_S3', s3.endpoint);
}

const ops = (...argv: string[]) => operate('pipe', '--local', ...argv);
const opsJson = async (...argv: string[]) => JSON.parse((await ops(...argv, '--json')).out);

async function publish(records: ReturnType<typeof smallCatalog>): Promise<string> {
  return (await opsJson('catalog', 'publish', catalogFolder(records), '--accept')).version;
}

const bucket = () => ({ s3: s3.client, name: 'pharmacy-catalog' });

/** Stores what a former release of this program has published: a copy of a version in another format. */
async function storeOlder(version: string): Promise<string> {
  const record = await readRecord(bucket(), version);
  const plain = record && (await readSnapshot(bucket(), record));
  if (!plain) throw new Error(`there is no version ${version}`);
  // SQLite keeps the number of the format in the four bytes from 60 on.
  plain.writeUInt32BE(6, 60);
  const snapshot = await packSnapshot(plain);
  const { sha256, bytes } = snapshot;
  const older = sha256.slice(0, 16);
  await storeSnapshot(bucket(), snapshot);
  await storeRecord(bucket(), { ...record, version: older, sha256, bytes });
  return older;
}

/** Has a colleague publish what is current once more, just before this record is read. */
function publishBefore(version: string): void {
  s3.beforeEach(async (request) => {
    if (!request.includes(`/versions/${version}.json`)) return;
    s3.beforeEach(() => undefined);
    const { pointer } = await readPointer(bucket());
    const again = { ...pointer, published_at: new Date().toISOString() };
    await putObject(bucket(), 'current.json', JSON.stringify(again));
  });
}

const REMOVED = '1 of 6 products are removed, which is more than 5 %: 103.';

describe('catalog search', () => {
  it('answers as the API does, with what substitutes save', async () => {
    expect(await opsJson('catalog', 'search', 'ácido acetil')).toEqual({
      version: second,
      search: 'ácido acetil',
      count: 1,
      page: 1,
      pages: 1,
      did_you_mean: null,
      products: [
        {
          id: 102,
          name: 'acido  acetilsalicílico 500 mg',
          presentation: 'Tabletas',
          company: 'Beta Pharma',
          price: '30.50',
          is_active: true,
          has_shortage: false,
          requires_prescription: false,
          ean_key: '7501000000029',
          // It has no count of units by which a saving could be told.
          substitute: { id: 104, name: 'Aspirina 500 mg', presentation: 'Tabletas', price: '25.00' },
        },
      ],
    });
  });

  it('shows the current version as a table', async () => {
    expect(await ops('catalog', 'search', 'fólico')).toEqual({
      code: 0,
      out: '106\tÁcido fólico 5 mg\tCaja\t80.01\tin stock\t\t\t\n101\tÁcido fólico 5 mg\tCaja\t75.00\tout of stock\t\t\t\n',
      err: `2 products in version ${second}, page 1 of 1.\n`,
    });
    const { out } = await operate('terminal', '--local', 'catalog', 'search', 'clonazepam');
    expect(out).toBe(`id   name             presentation  price  sale      requires      substitute  saving
105  Clonazepam 2 mg  Caja          99.99  not sold  prescription
`);
  });

  it('suggests another spelling of a search that finds nothing', async () => {
    expect(await ops('catalog', 'search', 'aspirrina')).toEqual({
      code: 0,
      out: '',
      err: `0 products in version ${second}, page 1 of 1. Did you mean "aspirina"?\n`,
    });
  });
});

const DIFFERENCE = [
  'products\t0\t1\t1',
  'companies\t0\t0\t1',
  'shipping_rates\t1\t0\t0',
  'holidays\t1\t0\t0',
  '',
  'up to 2 times\t1\t0',
  'The largest change of a price: products 101, 50.00 to 75.00.',
  '',
  '',
].join('\n');

const OVERTAKEN = {
  code: 1,
  out: '',
  err: 'Somebody else published meanwhile: the catalog stays as they left it.\n',
};

describe('catalog activate', () => {
  it('is refused if another version is current than the one that was compared', async () => {
    expect(await ops('catalog', 'activate', first, '--from', first, '--accept')).toEqual(OVERTAKEN);
    expect((await opsJson('catalog', 'activate', first, '--from', second)).outcome).toBe('activated');
    expect((await opsJson('catalog', 'activate', second, '--from', first, '--accept')).outcome).toBe('activated');
  });

  it('is refused if somebody publishes while the two are compared', async () => {
    publishBefore(first);
    expect(await ops('catalog', 'activate', first)).toEqual(OVERTAKEN);
    expect((await opsJson('catalog', 'versions')).current).toBe(second);
  });

  it.each([[[]], [['--accept']]])('is refused to a version that no function could open: %j', async (options) => {
    const older = await storeOlder(first);
    expect(await ops('catalog', 'activate', older, ...options)).toEqual({
      code: 1,
      out: '',
      err: `Version ${older} has an older format: publish its folder again.\n`,
    });
    expect((await opsJson('catalog', 'versions')).current).toBe(second);
  });

  it('leaves one that is of another format, and so cannot be compared', async () => {
    const older = await readRecord(bucket(), await storeOlder(first));
    await putObject(bucket(), 'current.json', JSON.stringify(older));
    const damaged = `The snapshot of the current version ${older?.version} has another format, so that nothing tells what is removed or changed.`;
    expect((await ops('catalog', 'publish', catalogFolder(changedCatalog()))).out).toBe(`\n- ${damaged}\n`);
    expect((await opsJson('catalog', 'activate', second)).outcome).toBe('activated');
  });

  it('leaves products that orders may hold behind with --accept only', async () => {
    const records = changedCatalog();
    records.products.push({ ...records.products[0], id: 109, ean_key: '7501000000098' });
    const third = await publish(records);
    const { dangers, outcome } = await opsJson('catalog', 'activate', second);
    expect([outcome, dangers.map(({ code }: { code: string }) => code)]).toEqual([
      'refused',
      ['products_removed', 'products_lost'],
    ]);
    expect(dangers[1].message).toBe(
      'Products that orders may hold are neither published nor withdrawn in that version: 109. Such orders show the copies that they keep.',
    );
    expect((await opsJson('catalog', 'versions')).current).toBe(third);
    expect((await opsJson('catalog', 'activate', second, '--accept')).outcome).toBe('activated');
  });

  it('goes to a version that looks like an accident with --accept only', async () => {
    const back =
      'products\t1\t0\t1\ncompanies\t0\t0\t1\nshipping_rates\t0\t1\t0\nholidays\t0\t1\t0\n\nup to 2 times\t0\t1\n';
    expect((await ops('catalog', 'activate', first)).out).toBe(
      `Version ${first} is the current catalog.\n${back}The largest change of a price: products 101, 75.00 to 50.00.\n`,
    );
    expect(await ops('catalog', 'activate', second)).toEqual({
      code: 1,
      out: `${DIFFERENCE}- ${REMOVED}\n`,
      err: 'The current version stays. If all of this is meant, activate with --accept.\n',
    });
    expect((await opsJson('catalog', 'versions')).current).toBe(first);
    expect((await opsJson('catalog', 'activate', second, '--accept')).outcome).toBe('activated');
    expect((await opsJson('catalog', 'versions')).current).toBe(second);
  });
});
