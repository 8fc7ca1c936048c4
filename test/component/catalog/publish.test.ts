import { createHash } from 'node:crypto';
import { appendFile, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type CatalogBucket, putObject, readObject, readPointer } from '../../../shared/catalog/bucket.ts';
import type { Catalog } from '../../../shared/catalog/catalog.ts';
import { currentCatalog } from '../../../shared/catalog/current.ts';
import { activateVersion, publishCatalog } from '../../../shared/catalog/publishing/publish.ts';
import { listPublishedVersions } from '../../../shared/catalog/publishing/versions.ts';
import { catalogFolder, smallCatalog } from '../../support/catalogs/small-catalog.ts';
import { LOCAL_S3_CREDENTIALS, type LocalS3, startLocalS3 } from '../../support/engines/local-s3.ts';
import { type HeldLimits, holdLimits } from '../../support/faults/held-limits.ts';
import { captureOutput } from '../../support/operators/output.ts';

// A version is stored, listed and made current in this order or not at all; functions serve the last good one.

const BUCKET = 'catalogs';
const START = Date.parse('2026-11-21T18:00:00.000Z');

let s3: LocalS3;
let bucket: CatalogBucket;
let home: string;
let folder: string;
let directory: string;
let time: number;
let limits: HeldLimits;

beforeEach(async () => {
  limits = holdLimits();
  s3 = await startLocalS3(BUCKET);
  bucket = { s3: s3.client, name: BUCKET };
  home = await mkdtemp(join(tmpdir(), 'catalog-publish-'));
  folder = catalogFolder(smallCatalog());
  directory = await mkdtemp(join(home, 'opened-'));
  time = START;
});

afterEach(async () => {
  vi.restoreAllMocks();
  await s3.stop();
});

async function publish(now = START) {
  const publication = await publishCatalog({ folder, bucket, now: new Date(now) });
  if (publication.outcome === 'invalid' || publication.outcome === 'refused')
    throw new Error(JSON.stringify(publication));
  return publication;
}

const activate = async (version: string, now = START) =>
  activateVersion({ version, read: await readPointer(bucket), bucket, now: new Date(now) });

/** Adds a fourth company to the folder. */
const addCompany = () => appendFile(join(folder, 'companies.jsonl'), '{"id":4,"name":"Laboratorios Ejemplo"}\n');

/** Publishes the folder, then with a fourth company, and returns both versions. */
async function publishTwo(): Promise<{ first: string; second: string }> {
  const { version: first } = await publish();
  await addCompany();
  const { version: second } = await publish(START + 60_000);
  return { first, second };
}

const openedHere = () =>
  currentCatalog({
    bucket: BUCKET,
    directory,
    imageBaseUrl: 'https://images.example/',
    region: 'mx-central-1',
    credentials: LOCAL_S3_CREDENTIALS,
    endpoint: s3.endpoint,
    pathStyle: true,
    now: () => time,
  });

const companies = (catalog: Catalog) =>
  catalog.list('companies', { page: 1, limit: 1, search: '', ordering: [{ field: 'name', descending: false }] }).count;

async function recordRequests(work: () => Promise<unknown>): Promise<string[]> {
  const before = s3.requests.length;
  await work();
  return s3.requests.slice(before).map((line) => line.replace(/\?.*/, ''));
}

/** Returns the objects that are written meanwhile. */
async function recordPuts(work: () => Promise<unknown>): Promise<string[]> {
  const requests = await recordRequests(work);
  return requests.filter((line) => line.startsWith('PUT')).map((line) => line.replace(`PUT /${BUCKET}/`, ''));
}

const readJson = async (key: string) =>
  JSON.parse(new TextDecoder().decode((await readObject(bucket, key))?.body ?? new Uint8Array()));

const MOVE = /^PUT .*\/current\.json/;

/** Runs an action just before the first request of a kind is served. */
function beforeOne(kind: RegExp, act: () => Promise<unknown>): void {
  s3.beforeEach(async (request) => {
    if (!kind.test(request)) return;
    s3.beforeEach(() => undefined);
    await act();
  });
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('publishing', () => {
  test('stores the snapshot under its hash, then a record, then moves the pointer', async () => {
    let publication: Awaited<ReturnType<typeof publish>> | undefined;
    const puts = await recordPuts(async () => {
      publication = await publish();
    });
    const pointer = await readJson('current.json');
    const stored = await readObject(bucket, `snapshots/${pointer.sha256}.sqlite.zst`);
    const plain = zstdDecompressSync(stored?.body ?? new Uint8Array());
    expect(plain.subarray(0, 15).toString()).toBe('SQLite format 3');
    const hash = sha256(plain);
    const version = hash.slice(0, 16);
    const published_at = '2026-11-21T18:00:00.000Z';
    expect(pointer).toEqual({ version, sha256: hash, bytes: plain.length, published_at });
    expect(puts).toEqual([`snapshots/${hash}.sqlite.zst`, `versions/${version}.json`, 'current.json']);
    expect(publication).toMatchObject({ outcome: 'published', products: 6, version });
    // The notes name what may not be sold online by law.
    expect(publication?.notes.join('\n')).toContain('Clonazepam 2 mg');
  });

  test('the same content again gets a new date, and a version published before only the pointer', async () => {
    const { version: first } = await publish();
    const before = await readJson('current.json');
    const again = await recordPuts(async () => {
      expect(await publish(START + 60_000)).toMatchObject({ outcome: 'unchanged', version: first });
    });
    expect(await readJson('current.json')).toEqual({ ...before, published_at: '2026-11-21T18:01:00.000Z' });
    await addCompany();
    await publish(START + 90_000);
    folder = catalogFolder(smallCatalog());
    const back = await recordPuts(async () => {
      expect(await publish(START + 120_000)).toMatchObject({ outcome: 'published', version: first });
    });
    expect([again, back]).toEqual([['current.json'], ['current.json']]);
  });

  test('an invalid folder stores nothing, moves nothing, and like any other leaves no file on the machine', async () => {
    const temp = await mkdtemp(join(home, 'temp-'));
    vi.stubEnv('TMPDIR', temp);
    await publish();
    await appendFile(join(folder, 'holidays.jsonl'), '{"date":"2026-02-30","name":"Nunca"}\n');
    const puts = await recordPuts(async () => {
      const errors = [{ file: 'holidays.jsonl', line: 2, field: 'date' }];
      const publication = await publishCatalog({ folder, bucket, now: new Date(START) });
      expect(publication).toMatchObject({ outcome: 'invalid', errors });
    });
    expect([puts, await readdir(temp)]).toEqual([[], []]);
  });

  test('a snapshot that does not read back as sent moves nothing', async () => {
    const { version } = await publish();
    await addCompany();
    let uploaded = '';
    s3.beforeEach(async (request) => {
      const [, key = ''] = /^PUT .*\/(snapshots\/\w+\.sqlite\.zst)/.exec(request) ?? [];
      if (key) uploaded = key;
      if (uploaded === '' || !request.startsWith('GET')) return;
      s3.beforeEach(() => undefined);
      await putObject(bucket, uploaded, 'damaged');
    });
    await expect(publish(START + 60_000)).rejects.toThrow('the uploaded snapshot does not read back as sent');
    expect(await listPublishedVersions(bucket)).toMatchObject({ current: version, versions: [{ version }] });
  });

  test.each([
    ['the current version is read, stores nothing', /^GET .*\/snapshots\//, []],
    ['it is stored, is not listed as a version', /^PUT .*\/snapshots\//, ['snapshots']],
    ['it is listed, does not become current', /^PUT .*\/versions\//, ['snapshots', 'versions']],
  ])('a folder that is interrupted while %s', async (_, moment, stored) => {
    await publish();
    await addCompany();
    const controller = new AbortController();
    beforeOne(moment, async () => controller.abort(new Error('interrupted')));
    const puts = await recordPuts(async () => {
      const publication = publishCatalog({ folder, bucket, now: new Date(START), signal: controller.signal });
      await expect(publication).rejects.toThrow('interrupted');
    });
    expect(puts.map((key) => key.split('/')[0])).toEqual(stored);
  });

  test('repairs a damaged current snapshot', async () => {
    const { version } = await publish();
    const { sha256: hash } = await readJson('current.json');
    await putObject(bucket, `snapshots/${hash}.sqlite.zst`, 'damaged');
    expect(await publish()).toMatchObject({ outcome: 'published', version });
    expect(companies(await openedHere()())).toBe(3);
  });

  test.each([
    ['while this one uploads', /^PUT .*\/snapshots\//],
    ['in the very last moment', MOVE],
  ])('is overtaken by another publication %s', async (_when, moment) => {
    await publish();
    await addCompany();
    const other = { ...(await readJson('current.json')), published_at: '2026-11-21T18:00:01.000Z' };
    beforeOne(moment, () => putObject(bucket, 'current.json', JSON.stringify(other)));
    expect(await publish(START + 2_000)).toMatchObject({ outcome: 'overtaken' });
    expect(await readJson('current.json')).toEqual(other);
  });

  test('recognizes its own pointer when the answer to the first attempt was lost', async () => {
    const { version } = await publish();
    const first = await readJson('current.json');
    await addCompany();
    await publish(START + 1_000);
    const moved = { ...first, published_at: '2026-11-21T18:00:02.000Z' };
    beforeOne(MOVE, () => putObject(bucket, 'current.json', JSON.stringify(moved)));
    expect(await activate(version, START + 2_000)).toBe('activated');
  });
});

describe('versions', () => {
  test('are listed newest first, with the current one, and an earlier one can be made current', async () => {
    const { first, second } = await publishTwo();
    // A record that cannot be read is none.
    await putObject(bucket, 'versions/0123456789abcdef.json', '{"version":"0123456789abcdef"}');
    const { current, versions } = await listPublishedVersions(bucket);
    expect(current).toBe(second);
    expect(versions.map(({ version, published_at, products }) => [version, published_at, products])).toEqual([
      [second, '2026-11-21T18:01:00.000Z', 6],
      [first, '2026-11-21T18:00:00.000Z', 6],
    ]);
    expect(await activate(first, START + 120_000)).toBe('activated');
    expect([companies(await openedHere()()), (await listPublishedVersions(bucket)).current]).toEqual([3, first]);
    expect((await readJson('current.json')).published_at).toBe('2026-11-21T18:02:00.000Z');
  });

  test('activating refuses an unknown, damaged or overtaken version, and leaves the current one', async () => {
    const { version: first } = await publish();
    const read = await readPointer(bucket);
    const { sha256: hash } = await readJson('current.json');
    expect(await activate('0123456789abcdef')).toBe('version_unknown');
    expect(await activate(first)).toBe('unchanged');
    await addCompany();
    const { version: second } = await publish(START + 60_000);
    expect(await activateVersion({ version: first, read, bucket, now: new Date(START) })).toBe('catalog_overtaken');
    await putObject(bucket, `snapshots/${hash}.sqlite.zst`, 'damaged');
    expect(await activate(first)).toBe('snapshot_damaged');
    expect((await listPublishedVersions(bucket)).current).toBe(second);
  });
});

describe('the current catalog', () => {
  test('is downloaded once, checked every 30 s, and replaced by a new version, while the old one stays usable', async () => {
    const { version } = await publish();
    const { sha256: hash } = await readJson('current.json');
    const logged = captureOutput();
    const current = openedHere();
    const three = () => Promise.all([current(), current(), current()]);
    const keysOf = async (work: () => Promise<unknown>) =>
      (await recordRequests(work)).map((line) => line.replace(`GET /${BUCKET}/`, '')).toSorted();
    const CHECKED = ['current.json', 'shortages.json'];
    expect(await keysOf(three)).toEqual([...CHECKED, `snapshots/${hash}.sqlite.zst`]);
    const [open, ...others] = await three();
    expect([open.version, companies(open), others]).toEqual([version, 3, [open, open]]);

    time = START + 29_999;
    expect(await keysOf(current)).toEqual([]);
    time = START + 30_000;
    expect(await keysOf(three)).toEqual(CHECKED);
    // Only the date of the pointer is new.
    await publish(START + 31_000);
    time = START + 60_000;
    expect(await keysOf(current)).toEqual(CHECKED);
    expect(await current()).toBe(open);

    await addCompany();
    const { version: second } = await publish(START + 61_000);
    time = START + 89_999;
    expect(companies(await current())).toBe(3);
    time = START + 90_000;
    const next = await current();
    expect([next.version, companies(next), companies(open)]).toEqual([second, 4, 3]);
    time = START + 120_000;
    await current();
    expect(() => open.productDetail(101)).toThrow('statement has been finalized');
    expect([next.productDetail(101)?.id, logged]).toEqual([101, []]);
  });

  describe('is never a snapshot other than the one that the pointer names', () => {
    const plain = Buffer.from('not a catalog, '.repeat(100));
    test.each([
      ['cut short', (good: Uint8Array) => good.subarray(0, good.length - 100)],
      ['of somebody else', () => zstdCompressSync(plain)],
    ])('%s: the last good one stays, until there is a better one', async (_kind, spoil) => {
      await publish();
      const current = openedHere();
      const good = await current();
      await addCompany();
      await publish(START + 1_000);
      const { sha256: hash } = await readJson('current.json');
      const snapshot = (await readObject(bucket, `snapshots/${hash}.sqlite.zst`))?.body ?? new Uint8Array();
      await putObject(bucket, `snapshots/${hash}.sqlite.zst`, spoil(snapshot));
      time = START + 30_000;
      expect(await current()).toBe(good);
      // A request waits 300 ms for a renewal, which may end after it.
      await expect.poll(() => readdir(directory)).toEqual([]);
      await expect(openedHere()()).rejects.toMatchObject({ code: 'unavailable' });
      await putObject(bucket, `snapshots/${hash}.sqlite.zst`, snapshot);
      time = START + 60_000;
      await expect.poll(async () => companies(await current())).toBe(4);
    });

    test('with the right hash, but no catalog: no file is left behind', async () => {
      const bytes = plain.length;
      const hash = sha256(plain);
      const pointer = { version: hash.slice(0, 16), sha256: hash, bytes, published_at: '2026-11-21T18:00:00.000Z' };
      await putObject(bucket, `snapshots/${hash}.sqlite.zst`, zstdCompressSync(plain));
      await putObject(bucket, 'current.json', JSON.stringify(pointer));
      await expect(openedHere()()).rejects.toMatchObject({ code: 'unavailable' });
      expect(await readdir(directory)).toEqual([]);
    });
  });

  describe('when S3 fails', () => {
    test.each(['failing', 'hanging'] as const)('%s: an open catalog goes on serving', async (weather) => {
      await publish();
      const current = openedHere();
      const good = await current();
      s3.turn(weather);
      const logged = captureOutput();
      time = START + 30_000;
      if (weather === 'hanging') s3.beforeEach(() => limits.end(300));
      expect(await current()).toBe(good);
      expect(await recordRequests(current)).toEqual([]);
      expect(logged.map((line) => JSON.parse(line))).toMatchObject([
        { level: 'ERROR', message: 'the catalog could not be renewed', serving: good.version },
      ]);
    });

    test.each(['failing', 'hanging', 'resetting'] as const)(
      '%s: a cold one is unavailable, until it is not',
      async (weather) => {
        await publish();
        const current = openedHere();
        s3.turn(weather);
        if (weather === 'hanging') s3.beforeEach(() => limits.end(1_000));
        await expect(current()).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 });
        s3.beforeEach(() => undefined);
        s3.turn('fair');
        expect(companies(await current())).toBe(3);
      },
    );

    test('nothing is published: unavailable, and served as soon as a catalog is', async () => {
      const current = openedHere();
      await expect(current()).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 });
      await publish();
      expect(companies(await current())).toBe(3);
    });
  });
});
