import { zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { putObject, readObject, readPointer } from '../../../shared/catalog/bucket.ts';
import { packSnapshot, snapshotKey } from '../../../shared/catalog/file/snapshot.ts';
import { readRecord, storeRecord, storeSnapshot } from '../../../shared/catalog/publishing/versions.ts';
import {
  catalogFolder,
  catalogWithSubstitutes,
  changedCatalog,
  type smallCatalog,
} from '../../support/catalogs/small-catalog.ts';
import { type LocalS3, startLocalS3 } from '../../support/engines/local-s3.ts';
import { operate } from '../../support/operators/operator.ts';

// Two published versions: what a search of the current one shows, and the way back to the other.

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
afterAll(() => s3.stop());

function useIt(): void {
  vi.stubEnv('AWS_ENDPOINT_URL_S3', s3.endpoint);
}

const ops = (...argv: string[]) => operate('pipe', '--local', 'catalog', ...argv);
const json = async (...argv: string[]) => JSON.parse((await ops(...argv, '--json')).out);
const bucket = () => ({ s3: s3.client, name: 'pharmacy-catalog' });
const current = async () => (await json('versions')).current;
const publish = async (records: ReturnType<typeof smallCatalog>): Promise<string> =>
  (await json('publish', catalogFolder(records), '--accept')).version;

describe('catalog search', () => {
  it('answers as the API does, with what substitutes save', async () => {
    expect(await json('search', 'ácido acetil')).toEqual({
      ...{ version: second, search: 'ácido acetil', count: 1, page: 1, pages: 1, did_you_mean: null },
      products: [
        {
          ...{ id: 102, name: 'acido  acetilsalicílico 500 mg', presentation: 'Tabletas', company: 'Beta Pharma' },
          ...{ price: '30.50', is_active: true, has_shortage: false, requires_prescription: false },
          ean_key: '7501000000029',
          // It has no count of units by which a saving could be told.
          substitute: { id: 104, name: 'Aspirina 500 mg', presentation: 'Tabletas', price: '25.00' },
        },
      ],
    });
    expect(await json('search', 'aspirrina')).toMatchObject({ count: 0, did_you_mean: 'aspirina' });
  });
});

describe('catalog activate', () => {
  const codesOf = ({ dangers }: { dangers: readonly { code: string }[] }) => dangers.map(({ code }) => code);

  /** Stores what a former release of this program has published: a copy of the first version in another format. */
  async function storeOlder(): Promise<string> {
    const record = await readRecord(bucket(), first);
    const stored = record && (await readObject(bucket(), snapshotKey(record.sha256)));
    if (!stored) throw new Error('there is no first version');
    const plain = zstdDecompressSync(stored.body);
    // SQLite keeps the number of the format in the four bytes from 60 on.
    plain.writeUInt32BE(6, 60);
    const snapshot = await packSnapshot([plain]);
    const { sha256, bytes } = snapshot;
    const version = sha256.slice(0, 16);
    await storeSnapshot(bucket(), snapshot);
    await storeRecord(bucket(), { ...record, version, sha256, bytes });
    return version;
  }

  it('is refused if another version is current than the one that was compared', async () => {
    expect((await ops('activate', first, '--from', first, '--accept')).code).toBe(1);
    expect(await current()).toBe(second);
    expect((await json('activate', first, '--from', second)).outcome).toBe('activated');
    expect((await json('activate', second, '--from', first, '--accept')).outcome).toBe('activated');
  });

  it('is refused if somebody publishes while the two are compared', async () => {
    s3.beforeEach(async (request) => {
      if (!request.includes(`/versions/${first}.json`)) return;
      s3.beforeEach(() => undefined);
      const { pointer } = await readPointer(bucket());
      const again = { ...pointer, published_at: new Date().toISOString() };
      await putObject(bucket(), 'current.json', JSON.stringify(again));
    });
    expect((await ops('activate', first)).code).toBe(1);
    expect(await current()).toBe(second);
  });

  it('is refused to a version that no function could open, and leaves one for a version that can be', async () => {
    const older = await storeOlder();
    for (const options of [[], ['--accept']]) expect((await ops('activate', older, ...options)).code).toBe(1);
    expect(await current()).toBe(second);
    await putObject(bucket(), 'current.json', JSON.stringify(await readRecord(bucket(), older)));
    expect(codesOf(await json('publish', catalogFolder(changedCatalog())))).toEqual(['current_unreadable']);
    expect((await json('activate', second)).outcome).toBe('activated');
  });

  it('leaves products that orders may hold behind with --accept only', async () => {
    const records = changedCatalog();
    records.products.push({ ...records.products[0], id: 109, ean_key: '7501000000098' });
    const third = await publish(records);
    const refused = await json('activate', second);
    expect([refused.outcome, codesOf(refused)]).toEqual(['refused', ['products_removed', 'products_lost']]);
    expect(refused.dangers[1].message).toContain(': 109.');
    expect(await current()).toBe(third);
    expect((await json('activate', second, '--accept')).outcome).toBe('activated');
  });

  it('goes to a version that looks like an accident with --accept only, and says what changes', async () => {
    const { kinds, prices } = (await json('activate', first)).difference;
    expect(prices).toEqual([{ kind: 'products', id: 101, before: '75.00', after: '50.00' }]);
    expect([kinds.products, kinds.companies.changed, kinds.holidays.removed]).toEqual([
      { before: 5, added: [103], removed: [], changed: [101] },
      [2],
      ['2027-01-01'],
    ]);
    const refused = await json('activate', second);
    expect([refused.outcome, codesOf(refused), await current()]).toEqual(['refused', ['products_removed'], first]);
    expect((await json('activate', second, '--accept')).outcome).toBe('activated');
    expect(await current()).toBe(second);
  });
});
