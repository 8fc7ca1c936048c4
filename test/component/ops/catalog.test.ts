import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { zstdDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { packSnapshot } from '../../../shared/catalog/file/snapshot.ts';
import { listKeys, putObject, readObject } from '../../../shared/catalog/publish/versions.ts';
import { type LocalS3, startLocalS3 } from '../../support/engines/local-s3.ts';
import { operate } from '../../support/operators/operator.ts';

let s3: LocalS3;
let folder: string;

beforeEach(async () => {
  // `--local` uses this bucket.
  s3 = await startLocalS3('pharmacy-catalog');
  vi.stubEnv('AWS_ENDPOINT_URL_S3', s3.endpoint);
  vi.stubEnv('AWS_SESSION_TOKEN', 'of another account');
  folder = await mkdtemp(join(tmpdir(), 'ops-catalog-'));
  await cp('infra/local/demo-catalog', folder, { recursive: true });
});

afterEach(async () => {
  await s3.stop();
  await rm(folder, { recursive: true, force: true });
});

const ops = (...argv: string[]) => operate('pipe', '--local', ...argv);

/** Runs a command in a process of its own. */
async function opsProcess(...argv: string[]) {
  const env = { PATH: process.env.PATH, AWS_ENDPOINT_URL_S3: s3.endpoint, AWS_SESSION_TOKEN: 'of another account' };
  const child = spawn(process.execPath, ['infra/ops/cli.ts', '--local', ...argv], { env });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, out, err };
}

async function changeFile(name: string, change: (content: string) => string): Promise<void> {
  const file = join(folder, name);
  await writeFile(file, change(await readFile(file, 'utf8')));
}

describe('the operator of a catalog', () => {
  test('publishes, lists and restores versions from the command line', async () => {
    expect((await opsProcess('catalog', 'versions')).out).toBe('No catalog was published yet.\n');
    const first = await opsProcess('catalog', 'publish', folder);
    expect([first.code, first.err]).toEqual([0, '']);
    const [, version] = /^Published version ([0-9a-f]{16}): 135 products\.\n/.exec(first.out) ?? [];
    expect((await ops('catalog', 'publish', folder)).out).toContain('only its date is new');
    await appendFile(join(folder, 'companies.jsonl'), '{"id":12,"name":"Laboratorios Ejemplo 12"}\n');
    const second = JSON.parse((await ops('catalog', 'publish', folder, '--json')).out);
    expect(second).toMatchObject({ outcome: 'published', products: 135 });
    expect(second.review.goods_without_iva).toEqual([
      { id: 135, name: 'Toallas femeninas nocturnas', presentation: 'Bolsa con 10 piezas' },
    ]);
    expect((await ops('catalog', 'activate', String(version))).out).toBe(
      `Version ${version} is the current catalog.\n`,
    );
    const listed = (await opsProcess('catalog', 'versions')).out.split('\n');
    expect(listed.map((line) => line.slice(0, 18))).toEqual([` \t${second.version}`, `*\t${version}`, '']);
    expect(await ops('catalog', 'activate', 'nonsense')).toEqual({
      code: 1,
      out: '',
      err: 'There is no such version: `catalog versions` lists them.\n',
    });
  });

  test('sees every error, and publishes nothing', async () => {
    await writeFile(join(folder, 'tags.jsonl'), '{"id":1}\n{"name":"Genérico"}\n');
    const { code, out } = await ops('--json', 'catalog', 'publish', folder);
    expect(code).toBe(1);
    expect(JSON.parse(out).errors.length).toBeGreaterThanOrEqual(2);
    expect(s3.requests.filter((line) => line.startsWith('PUT'))).toEqual([]);
  });

  test('sees what a folder changes, without publishing it', async () => {
    expect(await ops('catalog', 'diff', folder)).toEqual({
      code: 1,
      out: '',
      err: 'There is no such version, or none is current: `catalog versions` lists them.\n',
    });
    const { version } = JSON.parse((await ops('catalog', 'publish', folder, '--json')).out);
    expect((await ops('catalog', 'diff', folder)).out).toBe(`Compared with version ${version}:\nNo record differs.\n`);
    await appendFile(join(folder, 'companies.jsonl'), '{"id":12,"name":"Laboratorios Ejemplo 12"}\n');
    await changeFile('products.jsonl', (lines) => lines.replace(/("id":1,.*?"price":")[^"]+/, '$130.00'));
    const { out } = await operate('terminal', '--local', 'catalog', 'diff', folder);
    expect(out).toBe(
      `Compared with version ${version}:
kind       added  removed  changed
products   0      0        1
companies  1      0        0

price            raised  lowered
up to 1.2 times  1       0
The largest change of a price: products 1, 28.50 to 30.00.
`,
    );
    const second = JSON.parse((await ops('catalog', 'publish', folder, '--json')).out);
    expect(second.difference.kinds.companies).toEqual({ before: 11, added: [12], removed: [], changed: [] });
    expect((await ops('catalog', 'diff', folder, '--from', version)).out).toContain('companies\t1\t0\t0\n');
    expect((await ops('catalog', 'diff', folder, '--from', '0123456789abcdef')).code).toBe(1);
  });

  test('is refused a file that was cut off, until it is accepted', async () => {
    await ops('catalog', 'publish', folder);
    await changeFile('products.jsonl', (lines) => lines.split('\n').slice(0, 3).join('\n'));
    const { code, out, err } = await ops('catalog', 'publish', folder);
    expect([code, err]).toEqual([1, 'Nothing was published. If all of this is meant, publish with --accept.\n']);
    expect(out).toBe(
      'products\t0\t132\t0\n\n- 132 of 135 products are removed, which is more than 5 %: 4, 5, 6, 7, 8, and 127 more.\n',
    );
    expect((await ops('catalog', 'versions')).out.split('\n').length).toBe(2);
    expect((await ops('catalog', 'publish', folder, '--accept')).out).toContain('3 products, 132 withdrawn');
  });

  test('is refused shipping rates or holidays that were cut off', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-21T18:00:00.000Z') });
    await ops('catalog', 'publish', folder);
    const keep = (name: string, count: number) =>
      changeFile(name, (lines) => lines.split('\n').slice(0, count).join('\n'));
    await keep('shipping_rates.jsonl', 3);
    await keep('holidays.jsonl', 7);
    const { code, out } = await ops('catalog', 'publish', folder, '--json');
    vi.useRealTimers();
    expect([code, JSON.parse(out).dangers]).toEqual([
      1,
      [
        {
          code: 'shipping_rates_removed',
          message: '81 of 84 shipping rates are removed, which is more than 5 %: 4, 5, 6, 7, 8, and 76 more.',
        },
        {
          code: 'holidays_removed',
          message:
            '7 of 8 holidays to come are removed, which is more than 5 %: 2027-01-01, 2027-02-01, 2027-03-15, 2027-05-01, 2027-09-16, and 2 more.',
        },
        { code: 'id_in_use_removed', message: 'Shipping methods lose all of their rates: 2, 4, 5.' },
      ],
    ]);
  });

  test('may take away holidays that are over, and a few rates', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-21T18:00:00.000Z') });
    await ops('catalog', 'publish', folder);
    await changeFile('holidays.jsonl', (lines) => lines.split('\n').slice(6).join('\n'));
    await changeFile('shipping_rates.jsonl', (lines) => lines.split('\n').slice(4).join('\n'));
    const { out } = await ops('catalog', 'publish', folder, '--json');
    vi.useRealTimers();
    expect(JSON.parse(out).outcome).toBe('published');
  });

  test('sees who published each version, under which label, and what it changed', async () => {
    await ops('catalog', 'publish', folder);
    await appendFile(join(folder, 'companies.jsonl'), '{"id":12,"name":"Laboratorios Ejemplo 12"}\n');
    await changeFile('products.jsonl', (lines) => lines.replace(/("id":1,.*?"price":")[^"]+/, '$130.00'));
    await ops('catalog', 'publish', folder, '--label', 'Precios de diciembre');
    const { versions } = JSON.parse((await ops('catalog', 'versions', '--json')).out);
    const [second, first] = versions;
    expect([second.label, second.author, second.difference]).toEqual([
      'Precios de diciembre',
      userInfo().username,
      {
        from: first.version,
        kinds: { products: { added: 0, removed: 0, changed: 1 }, companies: { added: 1, removed: 0, changed: 0 } },
      },
    ]);
    expect([first.label, first.author, first.difference]).toEqual([null, userInfo().username, null]);
    const [line = ''] = (await ops('catalog', 'versions')).out.split('\n');
    expect(line.split('\t').slice(6)).toEqual(['Precios de diciembre', 'products: 1 changed; companies: 1 added']);
  });

  test('can give a version another label by publishing it again', async () => {
    await ops('catalog', 'publish', folder);
    const label = async () => JSON.parse((await ops('catalog', 'versions', '--json')).out).versions[0].label;
    await ops('catalog', 'publish', folder, '--label', 'Primera');
    expect(await label()).toBe('Primera');
    await ops('catalog', 'publish', folder);
    expect(await label()).toBe('Primera');
  });

  test('is refused a first catalog without products, until it is accepted', async () => {
    await changeFile('products.jsonl', () => '');
    expect(await ops('catalog', 'publish', folder)).toEqual({
      code: 1,
      out: '\n- The catalog has no products.\n',
      err: 'Nothing was published. If all of this is meant, publish with --accept.\n',
    });
    expect((await ops('catalog', 'versions')).out).toBe('No catalog was published yet.\n');
    expect((await ops('catalog', 'publish', folder, '--accept')).out).toContain(': 0 products.\n');
  });

  test('is told that the current version cannot be read, until it is accepted', async () => {
    const { version } = JSON.parse((await ops('catalog', 'publish', folder, '--json')).out);
    const bucket = { s3: s3.client, name: 'pharmacy-catalog' };
    const [snapshot = ''] = await listKeys(bucket, 'snapshots/');
    await putObject(bucket, snapshot, 'damaged');
    const missing = `The snapshot of the current version ${version} is missing or damaged, so that nothing tells what is removed or changed.`;
    const refused = await ops('catalog', 'publish', folder);
    expect([refused.code, refused.out]).toEqual([1, `\n- ${missing}\n`]);
    await putObject(bucket, 'current.json', 'damaged');
    const { out } = await ops('catalog', 'publish', folder, '--json');
    expect(JSON.parse(out).dangers).toEqual([
      {
        code: 'current_unreadable',
        message:
          'What names the current version (current.json) cannot be read, so that nothing tells what is removed or changed.',
      },
    ]);
    expect((await ops('catalog', 'publish', folder, '--accept')).out).toContain(`Published version ${version}`);
  });

  test('is told that the current version has another format', async () => {
    await ops('catalog', 'publish', folder);
    const built = join(folder, 'older.sqlite');
    await ops('catalog', 'build', folder, '--out', built);
    const plain = await readFile(built);
    // SQLite keeps the number of the format in the four bytes from 60 on.
    plain.writeUInt32BE(6, 60);
    const older = await packSnapshot(plain);
    const bucket = { s3: s3.client, name: 'pharmacy-catalog' };
    await putObject(bucket, `snapshots/${older.sha256}.sqlite.zst`, older.compressed);
    const version = older.sha256.slice(0, 16);
    const pointer = { version, sha256: older.sha256, bytes: older.bytes, published_at: '2026-11-21T18:00:00.000Z' };
    await putObject(bucket, 'current.json', JSON.stringify(pointer));
    expect((await ops('catalog', 'publish', folder)).out).toBe(
      `\n- The snapshot of the current version ${version} has another format, so that nothing tells what is removed or changed.\n`,
    );
  });

  test('is refused prices times 1,000', async () => {
    await ops('catalog', 'publish', folder);
    const times1000 = (_: string, pesos: string, cents: string) => `"price":"${Number(pesos + cents)}0.00"`;
    await changeFile('products.jsonl', (lines) => lines.replace(/"price":"(\d+)\.(\d\d)"/g, times1000));
    const { code, out } = await ops('catalog', 'publish', folder, '--json');
    const refused = JSON.parse(out);
    expect([code, refused.outcome, refused.difference.prices.length]).toEqual([1, 'refused', 135]);
    expect(refused.dangers).toEqual([
      {
        code: 'prices_changed',
        message: expect.stringMatching(/^Prices that change more than 3 times: 135: .* more\.$/),
      },
    ]);
  });

  test('sees 50 errors of a kind, or all, without control characters', async () => {
    await changeFile(
      'tags.jsonl',
      () => `{"id":1,"name":"x","\\u001b[2Jy":1}\n${'{"id":2}\n'.repeat(1)}${'{\n'.repeat(60)}`,
    );
    const { code, out } = await ops('catalog', 'build', folder);
    const lines = out.split('\n').filter((line) => line.startsWith('tags.jsonl'));
    expect([code, lines[0], lines[1]]).toEqual([
      1,
      'tags.jsonl:1  [2Jy: There is no such field.',
      'tags.jsonl:2 name: It is required.',
    ]);
    expect(lines.length).toBe(53);
    expect(lines.at(-1)).toBe('tags.jsonl: 10 more of this kind, which --all lists.');
    const all = (await ops('catalog', 'build', folder, '--all')).out.split('\n');
    expect(all.filter((line) => line.startsWith('tags.jsonl')).length).toBe(62);
  });

  test('builds the same version of records with times of their own, at any time, in any order and with any line ends', async () => {
    const build = async () => JSON.parse((await ops('catalog', 'build', folder, '--json')).out);
    const first = await build();
    await changeFile('products.jsonl', (lines) => lines.trimEnd().split('\n').toReversed().join('\r\n'));
    const second = await build();
    expect(first).toMatchObject({ version: expect.stringMatching(/^[0-9a-f]{16}$/), products: 135 });
    expect(second.version).toBe(first.version);
    expect(JSON.parse((await ops('catalog', 'publish', folder, '--json')).out).version).toBe(first.version);
  });

  test('builds the same version of records without times, a day later too', async () => {
    for (const name of ['products.jsonl', 'bases.jsonl'])
      await changeFile(name, (lines) => lines.replaceAll(/,"(created|updated)_at":"[^"]+"/g, ''));
    const build = async () => JSON.parse((await ops('catalog', 'build', folder, '--json')).out).version;
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-21T18:00:00.000Z') });
    const first = await build();
    vi.setSystemTime(new Date('2026-11-22T18:00:00.000Z'));
    const second = await build();
    vi.useRealTimers();
    expect(second).toBe(first);
  });

  test('changes prices by a CSV file', async () => {
    const { version } = JSON.parse((await ops('catalog', 'publish', folder, '--json')).out);
    const csv = join(folder, 'precios.csv');
    await writeFile(csv, '\ufeffid;price\r\n1;30.00\r\n2;barato\r\n');
    const refused = await ops('catalog', 'diff', folder, '--csv', csv);
    expect([refused.code, refused.out]).toEqual([
      1,
      'precios.csv:3 price: It must be a decimal number from 0 with up to 7 digits and 2 decimals.\n',
    ]);
    await writeFile(csv, '\ufeffid;price\r\n1;30.00\r\n');
    expect((await ops('catalog', 'diff', folder, '--csv', csv)).out).toBe(
      `Compared with version ${version}:\nproducts\t0\t0\t1\n\nup to 1.2 times\t1\t0\nThe largest change of a price: products 1, 28.50 to 30.00.\n`,
    );
    const built = JSON.parse((await ops('catalog', 'build', folder, '--csv', csv, '--json')).out);
    expect([built.products, built.version === version]).toEqual([135, false]);
    await ops('catalog', 'publish', folder);
    const published = JSON.parse((await ops('catalog', 'update', csv, '--json')).out);
    expect(published.difference.prices).toEqual([{ kind: 'products', id: 1, before: '28.50', after: '30.00' }]);
  });

  describe('from day to day', () => {
    const sheet = async (content: string) => {
      const csv = join(folder, 'hoja.csv');
      await writeFile(csv, content);
      return csv;
    };
    const update = async (content: string, ...options: string[]) =>
      ops('catalog', 'update', await sheet(content), ...options, '--json');
    const find = async (text: string) => JSON.parse((await ops('catalog', 'search', text, '--json')).out).products[0];

    test('an update changes what is published, and keeps what an earlier one has changed', async () => {
      await ops('catalog', 'publish', folder);
      const monday = JSON.parse((await update('id,price\n1,30.00\n')).out);
      expect(monday.difference.kinds.products).toMatchObject({ added: [], removed: [], changed: [1] });
      const tuesday = JSON.parse((await update('id,has_shortage,price\n2,true,\n', '--label', 'Martes')).out);
      expect(tuesday.difference).toMatchObject({ kinds: { products: { changed: [2] } }, prices: [] });
      const found = await find('paracetamol 500');
      expect([found.id, found.price]).toEqual([1, '30.00']);
      const { versions } = JSON.parse((await ops('catalog', 'versions', '--json')).out);
      expect(versions.map(({ label }: { label: string | null }) => label)).toEqual(['Martes', null, null]);
    });

    test('an update is refused with its errors, or without --accept if it looks like an accident', async () => {
      expect((await update('id,price\n1,30.00\n')).err).toMatch(/^No catalog is published: /);
      const { version } = JSON.parse((await ops('catalog', 'publish', folder, '--json')).out);
      expect(JSON.parse((await update('id,price\n1,barato\n')).out).errors).toMatchObject([
        { file: 'hoja.csv', line: 2, field: 'price' },
      ]);
      const jump = await update('id,price\n1,2850.00\n');
      expect([jump.code, JSON.parse(jump.out).dangers]).toMatchObject([1, [{ code: 'prices_changed' }]]);
      const moved = await update('id,base\n4,1\n');
      expect([moved.code, JSON.parse(moved.out).dangers]).toEqual([
        1,
        [
          {
            code: 'sold_more_freely',
            message: 'Products go to another base, to a milder sanitary fraction, or need no prescription any more: 4.',
          },
        ],
      ]);
      expect(JSON.parse((await ops('catalog', 'versions', '--json')).out).current).toBe(version);
      expect(JSON.parse((await update('id,price\n1,2850.00\n', '--accept')).out).outcome).toBe('published');
    });

    test('an update keeps the products that are withdrawn', async () => {
      await ops('catalog', 'publish', folder);
      const withoutLast = (content: string) => content.replace(/^\{"id":135,.*\n/m, '');
      await changeFile('products.jsonl', withoutLast);
      expect(JSON.parse((await ops('catalog', 'publish', folder, '--json')).out).withdrawn).toBe(1);
      expect(JSON.parse((await update('id,price\n1,30.00\n')).out)).toMatchObject({ products: 134, withdrawn: 1 });
    });

    test('a folder that changes again what an update has changed is published with --accept only', async () => {
      await ops('catalog', 'publish', folder);
      await update('id,price\n1,30.00\n');
      const [code, out] = [1, '- Products that `catalog update` or `shortage` has changed are changed again: 1 ('];
      const refused = await ops('catalog', 'publish', folder);
      expect([refused.code, refused.out.includes(out)]).toEqual([code, true]);
      expect(refused.out).toContain('price).\n');
      await changeFile('products.jsonl', (content) => content.replace('"price":"28.50"', '"price":"30.00"'));
      expect((await ops('catalog', 'publish', folder)).code).toBe(0);
      expect((await find('paracetamol 500')).price).toBe('30.00');
    });

    test('shortage marks products, and takes the mark back', async () => {
      await ops('catalog', 'publish', folder);
      const marked = await ops('catalog', 'shortage', '1', '2', '--on', '--json');
      expect(JSON.parse(marked.out).difference.kinds.products.changed).toEqual([1, 2]);
      expect((await find('paracetamol 500')).has_shortage).toBe(true);
      expect((await ops('catalog', 'shortage', '1', '--off')).code).toBe(0);
      expect((await find('paracetamol 500')).has_shortage).toBe(false);
      const { versions } = JSON.parse((await ops('catalog', 'versions', '--json')).out);
      expect(versions.map(({ label }: { label: string | null }) => label)).toEqual([
        'back: 1',
        'shortage of 1, 2',
        null,
      ]);
    });

    test.each([
      [['999999', '--on'], 1, 'The published catalog has no product 999999.\n'],
      [['1'], 2, 'Give exactly one of --on and --off.'],
      [['--on'], 2, '<products> is missing.'],
      [['uno', '--on'], 2, '<products> must be ids of products, not "uno".'],
    ])('shortage refuses %j', async (words, code, complaint) => {
      await ops('catalog', 'publish', folder);
      const refused = await ops('catalog', 'shortage', ...words);
      expect([refused.code, refused.out]).toEqual([code, '']);
      expect(refused.err).toContain(complaint);
    });
  });

  describe('with a file that was built', () => {
    const build = async (...options: string[]) => {
      const file = join(folder, 'catalogo.sqlite');
      const { out } = await ops('catalog', 'build', folder, '--out', file, '--json', ...options);
      return { file, version: String(JSON.parse(out).version) };
    };

    test('publishes the same version and bytes on every stage', async () => {
      const { file, version } = await build();
      const other = await startLocalS3('pharmacy-catalog');
      const stored: { out: string; plain: Buffer }[] = [];
      for (const { endpoint, client } of [s3, other]) {
        vi.stubEnv('AWS_ENDPOINT_URL_S3', endpoint);
        const { out } = await ops('catalog', 'publish', file, '--version', version);
        const bucket = { s3: client, name: 'pharmacy-catalog' };
        const [snapshot = ''] = await listKeys(bucket, 'snapshots/');
        stored.push({ out, plain: zstdDecompressSync((await readObject(bucket, snapshot))?.body ?? '') });
      }
      await other.stop();
      const built = await readFile(file);
      expect(stored.map(({ out }) => out)).toEqual(Array(2).fill(`Published version ${version}: 135 products.\n`));
      expect(stored.map(({ plain }) => plain.equals(built))).toEqual([true, true]);
    });

    test('judges what it changes, and keeps withdrawn products only if it was built onto the current version', async () => {
      await ops('catalog', 'publish', folder);
      await changeFile('products.jsonl', (lines) => lines.trimEnd().split('\n').slice(2).join('\n'));
      const alone = await build();
      expect(await ops('catalog', 'publish', alone.file)).toEqual({
        code: 1,
        out: 'products\t0\t2\t0\n\n- Products that orders may hold are neither published nor withdrawn in the file: 1, 2. `catalog build --onto-current` keeps them.\n',
        err: 'Nothing was published. If all of this is meant, publish with --accept.\n',
      });
      const onto = await build('--onto-current');
      expect((await ops('catalog', 'publish', onto.file)).out).toContain(
        `Published version ${onto.version}: 133 products, 2 withdrawn.\n`,
      );
      expect((await ops('catalog', 'publish', folder)).out).toContain('only its date is new');
    });

    test.each<[string, (plain: Buffer) => Buffer, string]>([
      ['is cut', (plain) => plain.subarray(0, -4096), 'is no catalog, or not a whole one. Copy or build it again.'],
      [
        'is almost nothing',
        (plain) => plain.subarray(0, 50),
        'is no catalog: `catalog build <folder> --out <file>` writes one.',
      ],
      [
        'is something else',
        () => Buffer.from('id,price\n'),
        'is no catalog: `catalog build <folder> --out <file>` writes one.',
      ],
      [
        'has another format',
        (plain) => Buffer.concat([plain.subarray(0, 60), Buffer.from([0, 0, 0, 6]), plain.subarray(64)]),
        'is a catalog of format 6; this program reads format 7. Copy or build it again.',
      ],
      [
        'has another price in one byte',
        (plain) => Buffer.from(plain.toString('latin1').replaceAll('"price":"28.50"', '"price":"28.51"'), 'latin1'),
        'is damaged: copy or build it again.',
      ],
      [
        'has a broken page',
        (plain) => Buffer.from(plain).fill(0xff, 8192, 8292),
        'is damaged: copy or build it again.',
      ],
    ])('refuses one that %s', async (_, spoil, reason) => {
      const { file } = await build();
      await writeFile(file, spoil(await readFile(file)));
      expect(await ops('catalog', 'publish', file)).toEqual({ code: 1, out: '', err: `${file} ${reason}\n` });
      expect(s3.requests.filter((line) => line.startsWith('PUT'))).toEqual([]);
    });

    test('refuses one that is another version than was tried, and options of a folder', async () => {
      const { file, version } = await build();
      expect((await ops('catalog', 'publish', file, '--version', '0123456789abcdef')).err).toBe(
        `${file} is version ${version} and not 0123456789abcdef: it is another file, or has been changed.\n`,
      );
      expect((await ops('catalog', 'publish', folder, '--version', version)).code).toBe(2);
      expect((await ops('catalog', 'build', folder, '--onto-current')).err).toBe(
        'No version is current, or its snapshot is missing or damaged.\n',
      );
    });
  });

  test('never loses a file that is no catalog', async () => {
    const out = join(folder, 'notes.txt');
    await writeFile(out, 'mine');
    expect(await ops('catalog', 'build', folder, '--out', out)).toEqual({
      code: 1,
      out: '',
      err: `${out} is there already and is no catalog: name another file.\n`,
    });
    expect(await readFile(out, 'utf8')).toBe('mine');
    const built = join(folder, 'catalog.sqlite');
    expect((await ops('catalog', 'build', folder, '--out', built)).code).toBe(0);
    expect((await ops('catalog', 'build', folder, '--out', built)).code).toBe(0);
  });
});
