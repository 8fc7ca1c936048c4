import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { appendFile, cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CatalogBucket, readObject, replaceObject, writeObject } from '../../shared/catalog/bucket.ts';
import type { Catalog } from '../../shared/catalog/catalog.ts';
import { currentCatalog } from '../../shared/catalog/current.ts';
import { activateVersion, publishCatalog } from '../../shared/catalog/publish.ts';
import { listVersions } from '../../shared/catalog/versions.ts';
import { LOCAL_S3_CREDENTIALS, type LocalS3, startLocalS3 } from '../support/local-s3.ts';

// The bucket that `--local` names.
const BUCKET = 'pharmacy-catalog';
const START = Date.parse('2026-11-21T18:00:00.000Z');

let s3: LocalS3;
let bucket: CatalogBucket;
let home: string;
let folder: string;
let directory: string;
let time: number;

beforeEach(async () => {
  s3 = await startLocalS3(BUCKET);
  bucket = { s3: s3.client, name: BUCKET };
  home = await mkdtemp(join(tmpdir(), 'catalog-publish-'));
  folder = join(home, 'folder');
  directory = join(home, 'opened');
  await cp('infra/local/demo-catalog', folder, { recursive: true });
  time = START;
});

afterEach(async () => {
  await s3.stop();
  await rm(home, { recursive: true, force: true });
});

async function publish(now = START) {
  const publication = await publishCatalog({ folder, bucket, now: new Date(now) });
  if (publication.outcome === 'faulty') throw new Error(JSON.stringify(publication.faults));
  return publication;
}

/** Makes the folder another catalog: a company more. */
const addCompany = (id: number) =>
  appendFile(join(folder, 'companies.jsonl'), `{"id":${id},"name":"Laboratorios Ejemplo ${id}"}\n`);

const openedHere = (endpoint = s3.endpoint) =>
  currentCatalog({
    bucket: BUCKET,
    directory,
    imageBaseUrl: 'https://images.example/',
    region: 'mx-central-1',
    credentials: LOCAL_S3_CREDENTIALS,
    endpoint,
    pathStyle: true,
    now: () => time,
  });

const companies = (catalog: Catalog) =>
  catalog.pharmaceuticalCompanies({ page: 1, limit: 1, search: '', ordering: [{ field: 'name', descending: false }] })
    .count;

async function requestsOf(work: () => Promise<unknown>): Promise<string[]> {
  const before = s3.requests.length;
  await work();
  return s3.requests.slice(before).map((line) => line.replace(/\?.*/, ''));
}

const readJson = async (key: string) =>
  JSON.parse(new TextDecoder().decode((await readObject(bucket, key))?.body ?? new Uint8Array()));

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('publishing', () => {
  test('stores the snapshot under its hash, then a record, then moves the pointer', async () => {
    let version = '';
    const requests = await requestsOf(async () => {
      version = (await publish()).version;
    });
    const pointer = await readJson('current.json');
    expect(pointer).toEqual({
      version,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      bytes: expect.any(Number),
      published_at: '2026-11-21T18:00:00.000Z',
    });
    const stored = await readObject(bucket, `snapshots/${pointer.sha256}.sqlite.zst`);
    const plain = zstdDecompressSync(stored?.body ?? new Uint8Array());
    expect([sha256(plain), plain.length, plain.subarray(0, 15).toString()]).toEqual([
      pointer.sha256,
      pointer.bytes,
      'SQLite format 3',
    ]);
    expect(version).toBe(pointer.sha256.slice(0, 16));
    expect(requests.filter((line) => line.startsWith('PUT'))).toEqual([
      `PUT /${BUCKET}/snapshots/${pointer.sha256}.sqlite.zst`,
      `PUT /${BUCKET}/versions/${version}.json`,
      `PUT /${BUCKET}/current.json`,
    ]);
  });

  test('says how many products and which of them the law takes off the shelf', async () => {
    const { outcome, products, notes } = await publish();
    expect([outcome, products]).toEqual(['published', 135]);
    expect(notes.join('\n')).toContain('Clonazepam 2 mg');
  });

  test('the same content again changes nothing', async () => {
    const first = await publish();
    const requests = await requestsOf(async () => {
      expect(await publish(START + 60_000)).toMatchObject({ outcome: 'unchanged', version: first.version });
    });
    expect(requests.filter((line) => line.startsWith('PUT'))).toEqual([]);
  });

  test('a faulty folder stores nothing and moves nothing', async () => {
    await appendFile(join(folder, 'holidays.jsonl'), '{"date":"2026-02-30","name":"Nunca"}\n');
    const requests = await requestsOf(async () => {
      const publication = await publishCatalog({ folder, bucket, now: new Date(START) });
      expect(publication).toMatchObject({
        outcome: 'faulty',
        faults: [{ file: 'holidays.jsonl', line: 15, field: 'date' }],
      });
    });
    expect(requests.filter((line) => line.startsWith('PUT'))).toEqual([]);
  });

  test('repairs a damaged current snapshot', async () => {
    const { version } = await publish();
    const { sha256: hash } = await readJson('current.json');
    await writeObject(bucket, `snapshots/${hash}.sqlite.zst`, 'damaged');
    expect(await publish(START + 60_000)).toMatchObject({ outcome: 'published', version });
    expect(companies(await openedHere()())).toBe(11);
  });

  test.each([
    ['while this one uploads', /^PUT .*\/snapshots\//],
    ['in the very last moment', /^PUT .*\/current\.json/],
  ])('is overtaken by somebody who publishes %s', async (_when, moment) => {
    await publish();
    await addCompany(12);
    const other = { ...(await readJson('current.json')), published_at: '2026-11-21T18:00:01.000Z' };
    s3.beforeEach(async (request) => {
      if (!moment.test(request)) return;
      s3.beforeEach(() => undefined);
      await writeObject(bucket, 'current.json', JSON.stringify(other));
    });
    expect(await publish(START + 2_000)).toMatchObject({ outcome: 'overtaken' });
    expect(await readJson('current.json')).toEqual(other);
  });

  test('two first publishers: one wins', async () => {
    s3.beforeEach(async (request) => {
      if (!/^PUT .*\/current\.json/.test(request)) return;
      s3.beforeEach(() => undefined);
      await replaceObject(bucket, 'current.json', '{"by":"the other"}', undefined);
    });
    expect(await publish()).toMatchObject({ outcome: 'overtaken' });
    expect(await readJson('current.json')).toEqual({ by: 'the other' });
  });

  test('knows its own pointer when the answer to the first try was lost', async () => {
    const { version } = await publish();
    const first = await readJson('current.json');
    await addCompany(12);
    await publish(START + 1_000);
    s3.beforeEach(async (request) => {
      if (!/^PUT .*\/current\.json/.test(request)) return;
      s3.beforeEach(() => undefined);
      await writeObject(bucket, 'current.json', JSON.stringify({ ...first, published_at: '2026-11-21T18:00:02.000Z' }));
    });
    expect(await activateVersion(version, bucket, new Date(START + 2_000))).toBe('activated');
  });
});

describe('versions', () => {
  test('are listed newest first, with the current one', async () => {
    const { version: first } = await publish();
    await addCompany(12);
    const { version: second } = await publish(START + 60_000);
    const { current, versions } = await listVersions(bucket);
    expect(current).toBe(second);
    expect(versions.map(({ version, published_at, products }) => [version, published_at, products])).toEqual([
      [second, '2026-11-21T18:01:00.000Z', 135],
      [first, '2026-11-21T18:00:00.000Z', 135],
    ]);
  });

  test('activating goes back to an earlier one, and publishing forward to it without a second copy', async () => {
    const { version: first } = await publish();
    await addCompany(12);
    const { version: second } = await publish(START + 60_000);
    expect(await activateVersion(first, bucket, new Date(START + 120_000))).toBe('activated');
    expect(companies(await openedHere()())).toBe(11);
    expect((await listVersions(bucket)).current).toBe(first);
    expect(await activateVersion(second, bucket, new Date(START + 180_000))).toBe('activated');
    expect(companies(await openedHere()())).toBe(12);
  });

  test('activating refuses what is unknown, damaged or current already', async () => {
    const { version: first } = await publish();
    const { sha256: hash } = await readJson('current.json');
    expect(await activateVersion('0123456789abcdef', bucket, new Date(START))).toBe('unknown');
    expect(await activateVersion(first, bucket, new Date(START))).toBe('unchanged');
    await addCompany(12);
    const { version: second } = await publish(START + 60_000);
    await writeObject(bucket, `snapshots/${hash}.sqlite.zst`, 'damaged');
    expect(await activateVersion(first, bucket, new Date(START))).toBe('damaged');
    expect((await listVersions(bucket)).current).toBe(second);
  });
});

describe('the current catalog', () => {
  test('is downloaded once, with two requests', async () => {
    const { version } = await publish();
    const current = openedHere();
    const requests = await requestsOf(async () => {
      const opened = await Promise.all([current(), current(), current()]);
      expect(opened.map((catalog) => [catalog.version, companies(catalog)])).toEqual([
        [version, 11],
        [version, 11],
        [version, 11],
      ]);
    });
    const { sha256: hash } = await readJson('current.json');
    expect(requests).toEqual([`GET /${BUCKET}/current.json`, `GET /${BUCKET}/snapshots/${hash}.sqlite.zst`]);
  });

  test('asks nobody for 30 s, then asks once whether the pointer moved', async () => {
    await publish();
    const current = openedHere();
    const first = await current();
    time = START + 29_999;
    expect(await requestsOf(current)).toEqual([]);
    time = START + 30_000;
    expect(await requestsOf(() => Promise.all([current(), current()]))).toEqual([`GET /${BUCKET}/current.json`]);
    expect(await current()).toBe(first);
    time = START + 59_999;
    expect(await requestsOf(current)).toEqual([]);
  });

  test('is the new one 30 s later; the old one stays usable until the look after', async () => {
    await publish();
    const current = openedHere();
    const old = await current();
    await addCompany(12);
    const { version } = await publish(START + 1_000);
    expect(companies(await current())).toBe(11);
    time = START + 30_000;
    const next = await current();
    expect([next.version, companies(next), companies(old)]).toEqual([version, 12, 11]);
    time = START + 60_000;
    await current();
    expect(await readdir(directory)).toEqual([expect.stringMatching(new RegExp(`^${version}-.+\\.sqlite$`))]);
  });

  test('of several processes in one directory is a file for each', async () => {
    const { version } = await publish();
    const catalogs = await Promise.all([openedHere()(), openedHere()()]);
    expect((await readdir(directory)).map((file) => file.slice(0, 16))).toEqual([version, version]);
    catalogs[0]?.close();
    expect(catalogs[1] && companies(catalogs[1])).toBe(11);
  });

  describe('never is a snapshot that is not what the pointer says', () => {
    const plain = Buffer.from('not a catalog, '.repeat(100));
    test.each([
      ['cut short', (good: Uint8Array) => good.subarray(0, good.length - 100)],
      ['changed in a byte', (good: Uint8Array) => Buffer.from(good).fill(0, 5_000, 5_001)],
      ['of somebody else', () => zstdCompressSync(plain)],
      ['empty', () => new Uint8Array()],
    ])('%s: the last good one stays, until there is a better one', async (_kind, spoil) => {
      await publish();
      const current = openedHere();
      const good = await current();
      await addCompany(12);
      await publish(START + 1_000);
      const { sha256: hash } = await readJson('current.json');
      const snapshot = (await readObject(bucket, `snapshots/${hash}.sqlite.zst`))?.body ?? new Uint8Array();
      await writeObject(bucket, `snapshots/${hash}.sqlite.zst`, spoil(snapshot));
      time = START + 30_000;
      expect(await current()).toBe(good);
      expect(await readdir(directory)).toHaveLength(1);
      await expect(openedHere()()).rejects.toMatchObject({ code: 'unavailable' });
      await writeObject(bucket, `snapshots/${hash}.sqlite.zst`, snapshot);
      time = START + 60_000;
      expect(companies(await current())).toBe(12);
    });

    test('with the right hash, but no catalog: nothing is left behind', async () => {
      const bytes = plain.length;
      const hash = sha256(plain);
      const pointer = { version: hash.slice(0, 16), sha256: hash, bytes, published_at: '2026-11-21T18:00:00.000Z' };
      await writeObject(bucket, `snapshots/${hash}.sqlite.zst`, zstdCompressSync(plain));
      await writeObject(bucket, 'current.json', JSON.stringify(pointer));
      await expect(openedHere()()).rejects.toMatchObject({ code: 'unavailable' });
      expect(await readdir(directory)).toEqual([]);
    });

    test('larger than announced: it is not unpacked', async () => {
      await publish();
      const pointer = await readJson('current.json');
      await writeObject(bucket, 'current.json', JSON.stringify({ ...pointer, bytes: 1_000 }));
      await expect(openedHere()()).rejects.toMatchObject({ code: 'unavailable' });
    });
  });

  describe('when S3 fails', () => {
    test.each(['failing', 'hanging', 'resetting'] as const)('%s: a warm one goes on serving', async (weather) => {
      await publish();
      const current = openedHere();
      const good = await current();
      s3.turn(weather);
      time = START + 30_000;
      const startedAt = performance.now();
      expect(await current()).toBe(good);
      expect(performance.now() - startedAt).toBeLessThan(900);
      expect(await requestsOf(current)).toEqual([]);
    });

    test.each(['failing', 'hanging', 'resetting'] as const)(
      '%s: a cold one is unavailable, until it is not',
      async (weather) => {
        await publish();
        const current = openedHere();
        s3.turn(weather);
        await expect(current()).rejects.toMatchObject({
          name: 'Refusal',
          code: 'unavailable',
          retryAfterSeconds: expect.any(Number),
        });
        s3.turn('fair');
        expect(companies(await current())).toBe(11);
      },
    );

    test('there is nothing published: unavailable, and served as soon as there is', async () => {
      const current = openedHere();
      await expect(current()).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 });
      await publish();
      expect(companies(await current())).toBe(11);
    });
  });
});

describe('the operator', () => {
  async function ops(...argv: string[]) {
    const env = { PATH: process.env.PATH, AWS_ENDPOINT_URL_S3: s3.endpoint, AWS_SESSION_TOKEN: 'of another account' };
    const child = spawn(process.execPath, ['infra/ops/cli.ts', '--local', ...argv], { env });
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code: child.exitCode, out, err };
  }

  test('publishes, lists and goes back from the command line', async () => {
    expect((await ops('catalog', 'versions')).out).toBe('No catalog was published yet.\n');
    const first = await ops('catalog', 'publish', folder);
    expect([first.code, first.err]).toEqual([0, '']);
    const [, version] = /^Published version ([0-9a-f]{16}): 135 products\.\n/.exec(first.out) ?? [];
    expect((await ops('catalog', 'publish', folder)).out).toContain('nothing to publish');
    await addCompany(12);
    const second = JSON.parse((await ops('catalog', 'publish', folder, '--json')).out);
    expect(second).toMatchObject({ outcome: 'published', products: 135 });
    expect((await ops('catalog', 'activate', String(version))).out).toBe(
      `Version ${version} is the current catalog.\n`,
    );
    const listed = (await ops('catalog', 'versions')).out.split('\n');
    expect(listed.map((line) => line.slice(0, 18))).toEqual([`  ${second.version}`, `* ${version}`, '']);
    expect(await ops('catalog', 'activate', 'nonsense')).toEqual({
      code: 1,
      out: '',
      err: 'There is no such version: `catalog versions` lists them.\n',
    });
  });

  test('is told every fault, and publishes nothing', async () => {
    await writeFile(join(folder, 'tags.jsonl'), '{"id":1}\n{"name":"Genérico"}\n');
    const { code, out } = await ops('--json', 'catalog', 'publish', folder);
    expect(code).toBe(1);
    expect(JSON.parse(out).faults.length).toBeGreaterThanOrEqual(2);
    expect(s3.requests.filter((line) => line.startsWith('PUT'))).toEqual([]);
  });
});
