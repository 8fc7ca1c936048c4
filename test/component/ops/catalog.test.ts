import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { HeadObjectCommand } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { withPublishedCatalog } from '../../../infra/ops/catalog/published-catalog.ts';
import { listKeys, putObject } from '../../../shared/catalog/bucket.ts';
import { CATALOG_FILES } from '../../../shared/catalog/publishing/folder/folder.ts';
import { type LocalS3, startLocalS3 } from '../../support/engines/local-s3.ts';
import { operate } from '../../support/operators/operator.ts';

let s3: LocalS3;
let folder: string;

beforeEach(async () => {
  // `--local` uses these buckets.
  s3 = await startLocalS3('pharmacy-catalog', 'pharmacy-images');
  vi.stubEnv('AWS_ENDPOINT_URL_S3', s3.endpoint);
  vi.stubEnv('AWS_SESSION_TOKEN', 'of another account');
  folder = await mkdtemp(join(tmpdir(), 'ops-catalog-'));
  await cp('infra/local/demo-catalog', folder, { recursive: true });
});

afterEach(async () => {
  await s3.stop();
  await rm(folder, { recursive: true, force: true });
});

const bucket = () => ({ s3: s3.client, name: 'pharmacy-catalog' });
const ops = (...argv: string[]) => operate('pipe', '--local', ...argv);

const opsJson = async (...argv: string[]) => JSON.parse((await ops(...argv, '--json')).out);
const publishJson = (...more: string[]) => opsJson('catalog', 'publish', folder, ...more);
const listVersions = () => opsJson('catalog', 'versions');

async function changeFile(name: string, change: (content: string) => string): Promise<void> {
  const file = join(folder, name);
  await writeFile(file, change(await readFile(file, 'utf8')));
}

const addCompany = () => appendFile(join(folder, 'companies.jsonl'), '{"id":12,"name":"Laboratorios Ejemplo 12"}\n');

/** Makes base 4, ibuprofen of 800 mg, one that needs no prescription. */
const freeMedicine = () =>
  changeFile('bases.jsonl', (lines) =>
    lines.replace(/^\{"id":4,.*$/m, (line) => {
      const { medical_information: medical, ...base } = JSON.parse(line);
      const medical_information = { ...medical, group_number: 6, requires_prescription: false };
      return JSON.stringify({ ...base, sanitary_fraction: 'VI', medical_information });
    }),
  );

/** Runs a command that must be refused without --accept, and returns what it asks about. */
async function askedAbout(...words: string[]): Promise<string[]> {
  const { code, out } = await ops('catalog', ...words, '--json');
  expect(code).toBe(1);
  return JSON.parse(out).dangers.map((danger: { code: string }) => danger.code);
}

describe('the operator of a catalog', () => {
  test('sees who published each version, under which label, and what it changed', async () => {
    expect((await ops('catalog', 'versions')).out).toBe('No catalog was published yet.\n');
    const published = await ops('catalog', 'publish', folder);
    expect([published.code, published.err]).toEqual([0, '']);
    expect(published.out).toMatch(/^Published version [0-9a-f]{16}: 135 products, 9 images, 9 of them new\.\n/);
    expect((await ops('catalog', 'publish', folder)).out).toContain('only its date is new');
    await addCompany();
    await changeFile('products.jsonl', (lines) => lines.replace(/("id":1,.*?"price":")[^"]+/, '$130.00'));
    expect((await publishJson('--label', 'Precios de diciembre')).review.goods_without_iva).toEqual([
      { id: 135, name: 'Toallas femeninas nocturnas', presentation: 'Bolsa con 10 piezas' },
    ]);
    const [second, first] = (await listVersions()).versions;
    expect([second.label, second.author, second.difference]).toEqual([
      'Precios de diciembre',
      userInfo().username,
      {
        from: first.version,
        kinds: { products: { added: 0, removed: 0, changed: 1 }, companies: { added: 1, removed: 0, changed: 0 } },
      },
    ]);
    expect([first.label, first.author, first.difference]).toEqual([null, userInfo().username, null]);
    const lines = (await ops('catalog', 'versions')).out.split('\n');
    expect(lines.map((line) => line.slice(0, 18))).toEqual([`*\t${second.version}`, ` \t${first.version}`, '']);
    expect(lines[0]?.split('\t').slice(6)).toEqual(['Precios de diciembre', 'products: 1 changed; companies: 1 added']);
    // A version keeps its label until it is published under another one.
    const label = async (...more: string[]) => {
      await publishJson(...more);
      return (await listVersions()).versions[0].label;
    };
    expect([await label(), await label('--label', 'Segunda')]).toEqual(['Precios de diciembre', 'Segunda']);
  });

  test('publishes images that are new, under names that never get another content', async () => {
    const publishImages = async () => {
      const { images, new_images } = await publishJson();
      return [images, new_images];
    };
    expect((await opsJson('catalog', 'build', folder)).images).toBe(9);
    expect(await publishImages()).toEqual([9, 9]);
    await cp(join(folder, 'images/tubo.png'), join(folder, 'images/7509999000013.png'));
    await appendFile(join(folder, 'images/frasco.png'), 'changed');
    expect(await publishImages()).toEqual([9, 1]);
    const bucket = { Bucket: 'pharmacy-images' };
    expect(await listKeys({ s3: s3.client, name: bucket.Bucket }, '')).toHaveLength(10);
    const Key = '697e438dd1add3b33c9cd69a14ca6415.png';
    expect(await s3.client.send(new HeadObjectCommand({ ...bucket, Key }))).toMatchObject({
      ContentType: 'image/png',
      CacheControl: 'public, max-age=31536000, immutable',
    });
    expect((await opsJson('catalog', 'search', '7509999000013')).products[0].id).toBe(1);
    await withPublishedCatalog((catalog) =>
      expect(catalog.product(1)?.default_image).toBe(`/fdff9d103db6764c3de276113637e4af.png`),
    );
  });

  test('sees what a folder changes, without publishing it', async () => {
    expect((await ops('catalog', 'build', folder)).out).toMatch(
      /^Version [0-9a-f]{16}: 135 products and 9 images, no errors\.\n(- .*\n)+$/,
    );
    const { version } = await publishJson();
    const unchanged = `Compared with version ${version}:\nNo record differs.\n`;
    expect((await ops('catalog', 'build', folder)).out.endsWith(unchanged)).toBe(true);
    await addCompany();
    await changeFile('products.jsonl', (lines) => lines.replace(/("id":1,.*?"price":")[^"]+/, '$130.00'));
    const { out } = await operate('terminal', '--local', 'catalog', 'build', folder);
    expect(out.slice(out.indexOf('Compared'))).toBe(
      `Compared with version ${version}:
kind       added  removed  changed
products   0      0        1
companies  1      0        0

price            raised  lowered
up to 1.2 times  1       0
The largest change of a price: products 1, 28.50 to 30.00.
`,
    );
    expect((await listVersions()).current).toBe(version);
    const second = await publishJson();
    expect(second.difference.kinds.companies).toEqual({ before: 11, added: [12], removed: [], changed: [] });
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

  test('is refused shipping rates or holidays that were cut off, and may remove a few, or those that are over', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-21T18:00:00.000Z') });
    await ops('catalog', 'publish', folder);
    const [ratesFile, holidaysFile] = [join(folder, 'shipping_rates.jsonl'), join(folder, 'holidays.jsonl')];
    const rates = (await readFile(ratesFile, 'utf8')).split('\n');
    const holidays = (await readFile(holidaysFile, 'utf8')).split('\n');
    await writeFile(ratesFile, rates.slice(0, 3).join('\n'));
    await writeFile(holidaysFile, holidays.slice(0, 7).join('\n'));
    const { outcome, dangers } = await publishJson();
    expect([outcome, dangers.map(({ message }: { message: string }) => message)]).toEqual([
      'refused',
      [
        '81 of 84 shipping rates are removed, which is more than 5 %: 4, 5, 6, 7, 8, and 76 more.',
        '7 of 8 holidays to come are removed, which is more than 5 %: 2027-01-01, 2027-02-01, 2027-03-15, 2027-05-01, 2027-09-16, and 2 more.',
        'Shipping methods lose all of their rates: 2, 4, 5.',
      ],
    ]);
    await writeFile(ratesFile, rates.slice(4).join('\n'));
    await writeFile(holidaysFile, holidays.slice(6).join('\n'));
    expect((await publishJson()).outcome).toBe('published');
    vi.useRealTimers();
  });

  test('is refused a first catalog without products, until it is accepted', async () => {
    await changeFile('products.jsonl', () => '');
    expect(await ops('catalog', 'publish', folder)).toEqual({
      code: 1,
      out: '\n- The catalog has no products.\n',
      err: 'Nothing was published. If all of this is meant, publish with --accept.\n',
    });
    expect((await listVersions()).versions).toEqual([]);
    expect((await ops('catalog', 'publish', folder, '--accept')).out).toContain(': 0 products.\n');
  });

  test('is told that the current version cannot be read, until it is accepted', async () => {
    const { version } = await publishJson();
    const [snapshot = ''] = await listKeys(bucket(), 'snapshots/');
    await putObject(bucket(), snapshot, 'damaged');
    expect((await ops('catalog', 'publish', folder)).out).toBe(
      `\n- The snapshot of the current version ${version} is missing or damaged, so that nothing tells what is removed or changed.\n`,
    );
    await putObject(bucket(), 'current.json', 'damaged');
    expect((await publishJson()).dangers).toEqual([
      {
        code: 'current_unreadable',
        message:
          'What names the current version (current.json) cannot be read, so that nothing tells what is removed or changed.',
      },
    ]);
    expect((await ops('catalog', 'publish', folder, '--accept')).out).toContain(`Published version ${version}`);
  });

  test('sees 50 errors of a kind, each kind by itself, without control characters', async () => {
    await changeFile('tags.jsonl', () => `{"id":1,"name":"x","\\u001b[2Jy":1}\n{"id":2}\n${'{\n'.repeat(60)}`);
    const { code, out } = await ops('catalog', 'build', folder);
    const lines = out.split('\n').filter((line) => line.startsWith('tags.jsonl'));
    expect([code, lines.length, lines[0], lines[1], lines.at(-1)]).toEqual([
      1,
      53,
      'tags.jsonl:1  [2Jy: There is no such field.',
      'tags.jsonl:2 name: It is required.',
      'tags.jsonl: 10 more, which --json lists.',
    ]);
    const { errors } = await opsJson('catalog', 'build', folder);
    expect(errors.filter(({ file }: { file: string }) => file === 'tags.jsonl').length).toBe(62);
  });

  test('changes prices by a CSV file', async () => {
    const { version } = await publishJson();
    const csv = join(folder, 'precios.csv');
    await writeFile(csv, '\ufeffid;price\r\n1;30.00\r\n2;barato\r\n');
    const refused = await ops('catalog', 'build', folder, '--csv', csv);
    expect([refused.code, refused.out]).toEqual([
      1,
      'precios.csv:3 price: It must be a decimal number from 0 with up to 7 digits and 2 decimals.\n',
    ]);
    await writeFile(csv, '\ufeffid;price\r\n1;30.00\r\n');
    const built = await opsJson('catalog', 'build', folder, '--csv', csv);
    expect([built.products, built.current, built.difference.prices]).toEqual([
      135,
      version,
      [{ kind: 'products', id: 1, before: '28.50', after: '30.00' }],
    ]);
    const { difference } = await opsJson('catalog', 'update', csv);
    expect(difference.prices).toEqual([{ kind: 'products', id: 1, before: '28.50', after: '30.00' }]);
  });

  describe('from day to day', () => {
    const sheet = async (content: string) => {
      const csv = join(folder, 'hoja.csv');
      await writeFile(csv, content);
      return csv;
    };
    const update = async (content: string, ...options: string[]) =>
      opsJson('catalog', 'update', await sheet(content), ...options);
    const listLabels = async () => (await listVersions()).versions.map(({ label }: { label: string | null }) => label);

    test('an update is refused with its errors, or without --accept if it looks like an accident', async () => {
      expect((await ops('catalog', 'update', await sheet('id,price\n1,30.00\n'))).err).toMatch(
        /^No catalog is published: /,
      );
      const { version } = await publishJson();
      expect((await update('id,price\n1,barato\n')).errors).toMatchObject([
        { file: 'hoja.csv', line: 2, field: 'price' },
      ]);
      expect(await askedAbout('update', await sheet('id,price\n1,2850.00\n'))).toEqual(['prices_changed']);
      expect((await update('id,base\n4,1\n')).dangers).toEqual([
        {
          code: 'sold_more_freely',
          message: 'Products go to another base, to a milder sanitary fraction, or need no prescription any more: 4.',
        },
      ]);
      expect((await listVersions()).current).toBe(version);
      expect((await update('id,price\n1,2850.00\n', '--accept', '--label', 'Martes')).outcome).toBe('published');
      expect(await listLabels()).toEqual(['Martes', null]);
    });

    test('an update keeps the products that are withdrawn', async () => {
      await ops('catalog', 'publish', folder);
      await changeFile('products.jsonl', (lines) => lines.replace(/^\{"id":135,.*\n/m, ''));
      expect((await publishJson()).withdrawn).toBe(1);
      expect(await update('id,price\n1,30.00\n')).toMatchObject({ products: 134, withdrawn: 1 });
    });

    const FIELDS = {
      base: ['2', 2],
      presentation: ['Frasco con 15 mL', 'Frasco con 15 mL'],
      price: ['30.00', '30.00'],
      cost: ['19.00', '19.00'],
      public_price: ['33.00', '33.00'],
      average_cost: ['20.00', '20.00'],
      has_iva: ['true', true],
      is_active: ['false', false],
      has_shortage: ['true', true],
      max_quantity: ['4', 4],
      should_calculate_price: ['true', true],
      sat_key: ['51101500', '51101500'],
      sat_unit: ['XBX', 'XBX'],
      ean_key: ['012345678905', '012345678905'],
      partner_description: ['De lunes', 'De lunes'],
      image: ['fotos/niño #1.webp', 'fotos/ni%C3%B1o%20%231.webp'],
      current_supplier: ['3', 3],
      created_at: ['2026-02-03T04:05:06.000Z', '2026-02-03T04:05:06.000Z'],
      updated_at: ['2026-02-04T04:05:06.000Z', '2026-02-04T04:05:06.000Z'],
    } as const;
    type Field = keyof typeof FIELDS;
    const readProduct = async (id: number) => {
      const shown = await withPublishedCatalog((catalog) => {
        return { ...catalog.productDetail(id), max_quantity: catalog.product(id)?.maxQuantity };
      });
      const image = shown?.image?.slice(1);
      return { ...shown, base: shown?.base?.id, image, current_supplier: shown?.current_supplier?.id };
    };

    test('what Monday changed in any field is there on Tuesday, Wednesday and after', async () => {
      await ops('catalog', 'publish', folder);
      const published = await readProduct(1);
      const names = Object.keys(FIELDS) as Field[];
      expect(['id', 'album', 'supplier_products', 'product_variants', ...names].toSorted()).toEqual(
        Object.keys(CATALOG_FILES.products.shape).toSorted(),
      );
      const monday = `id,${names.join(',')}\n1,${names.map((name) => FIELDS[name][0]).join(',')}\n`;
      expect((await update(monday, '--accept')).outcome).toBe('published');
      const expected = Object.fromEntries(names.map((name) => [name, FIELDS[name][1]]));
      const changed = await readProduct(1);
      expect(changed).toMatchObject(expected);
      const { album, supplier_products, product_variants } = published;
      expect(changed).toMatchObject({ album, supplier_products, product_variants });

      expect((await update('id,price,has_shortage\n2,63.00,true\n')).outcome).toBe('published');
      expect((await ops('catalog', 'shortage', '3', '--on')).code).toBe(0);
      expect(await readProduct(1)).toEqual(changed);
      // Of the product itself only the field of the list changes, and the time that it has not given.
      expect((await update('id,price\n1,31.00\n')).outcome).toBe('published');
      const { updated_at, ...repriced } = await readProduct(1);
      expect(repriced).toEqual({ ...changed, price: '31.00', updated_at: undefined });
      expect(String(updated_at) > FIELDS.updated_at[1]).toBe(true);
      expect([(await readProduct(2)).price, (await readProduct(3)).has_shortage]).toEqual(['63.00', true]);
    });

    test('an update keeps synonyms, and the list of an accountant, by which alone a key is refused', async () => {
      await ops('catalog', 'publish', folder);
      const { outcome, notes } = await update('id,sat_key\n1,51142099\n');
      expect([outcome, ...notes]).toEqual(
        expect.arrayContaining([
          'published',
          "Products whose sat_key is not among SAT's keys as shipped, which an accountant should look at: 1. 1 (Paracetamol 500 mg, Caja con 20 tabletas).",
        ]),
      );
      expect((await update('id,price\n1,30.00\n')).outcome).toBe('published');
      await writeFile(join(folder, 'sat_product_keys.jsonl'), '{"key":"51142098","name":"De la contadora"}\n');
      await ops('catalog', 'publish', folder, '--accept');
      expect((await update('id,sat_key\n1,51142098\n')).outcome).toBe('published');
      const errors = [{ file: 'hoja.csv', line: 2, field: 'sat_key' }];
      expect(await update('id,sat_key\n2,51142099\n')).toMatchObject({ errors });
      expect((await opsJson('catalog', 'search', 'acetaminofen', '--all')).count).toBe(3);
    });

    test('a folder asks about the fields alone that it would undo, each product by name', async () => {
      await ops('catalog', 'publish', folder);
      await update('id,price,has_shortage,partner_description\n1,30.00,,De lunes\n2,,true,\n');
      await update('id,price\n3,35.00\n');
      // The folder knows the price of 3 and the shortage of 2, and describes 1 otherwise; the presentation of 2 and the
      // price of 4 are its own matter.
      await changeFile('products.jsonl', (lines) =>
        lines
          .replace('"price":"34.90"', '"price":"35.00"')
          .replace(/(\{"id":2,.*?"has_shortage":)false/, '$1true')
          .replace(/^(\{"id":2,.*?"presentation":")/m, '$1Nueva: ')
          .replace('"price":"28.50"', '"price":"30.00"')
          .replace('"price":"58.00"', '"price":"58.50"'),
      );
      const asked = await publishJson();
      expect(asked.dangers).toEqual([
        {
          code: 'updates_undone',
          message:
            'Products that `catalog update` or `shortage` has changed are changed again: 1 (Paracetamol 500 mg, Caja con 20 tabletas, partner_description).',
        },
      ]);
      expect((await opsJson('catalog', 'build', folder)).dangers).toEqual(asked.dangers);
      expect((await ops('catalog', 'publish', folder, '--accept')).code).toBe(0);
      expect((await readProduct(1)).partner_description).toBe('');
      // What the folder has settled is no update any more.
      await changeFile('products.jsonl', (lines) => lines.replace('"price":"30.00"', '"price":"29.00"'));
      expect((await ops('catalog', 'publish', folder)).code).toBe(0);
    });

    test('a folder asks before it takes away a product that an update has added', async () => {
      await ops('catalog', 'publish', folder);
      const header = 'id,base,presentation,price,has_iva,sat_key,sat_unit,ean_key';
      const added = await update(`${header}\n900,1,Caja con 10 tabletas,15.00,false,51142001,H87,012345678905\n`);
      expect(added.outcome).toBe('published');
      const { dangers } = await publishJson();
      expect(dangers).toMatchObject([{ code: 'updates_undone' }]);
      expect(dangers[0].message).toContain(': 900 (Paracetamol 500 mg, Caja con 10 tabletas, removed).');
      // The folder has it now, at another price.
      const own =
        '{"id":900,"base":1,"presentation":"Caja con 10 tabletas","price":"16.00","has_iva":false,"sat_key":"51142001","sat_unit":"H87","ean_key":"012345678905"}';
      await changeFile('products.jsonl', (lines) => `${lines}${own}\n`);
      const again = await publishJson();
      expect(again.dangers).toMatchObject([{ code: 'updates_undone' }]);
      expect(again.dangers[0].message).toContain(': 900 (Paracetamol 500 mg, Caja con 10 tabletas, price).');
    });

    test('a medicine that is sold more freely is asked about in every way', async () => {
      await ops('catalog', 'publish', folder);
      await freeMedicine();
      expect(await askedAbout('publish', folder)).toEqual(['sold_more_freely']);
      expect(await askedAbout('update', await sheet('id,base\n15,1\n'))).toEqual(['sold_more_freely']);
      // A milder fraction without a prescription in either, another base of the same, and no medicine any more.
      const change = (pattern: RegExp, replacement: string) =>
        changeFile('bases.jsonl', (lines) => lines.replace(pattern, replacement));
      await ops('catalog', 'publish', folder, '--accept');
      expect(await askedAbout('update', await sheet('id,base\n1,2\n'))).toEqual(['sold_more_freely']);
      await change(/("id":1,.*?"medical_information":)\{.*?\}(,"sanitary_fraction":)"VI"/, '$1null$2"V"');
      expect((await ops('catalog', 'publish', folder, '--accept')).code).toBe(0);
      await change(/("id":1,.*?"medical_information":null,"sanitary_fraction":)"V"/, '$1"VI"');
      expect(await askedAbout('publish', folder)).toEqual(['sold_more_freely']);
      await change(/("id":1,"name":"[^"]*","is_medicine":)true(.*?"sanitary_fraction":)"VI"/, '$1false$2null');
      expect(await askedAbout('publish', folder)).toEqual(['sold_more_freely']);
    });

    test('nor does one pass by way of a withdrawal, or under another id', async () => {
      await ops('catalog', 'publish', folder);
      const whole = await readFile(join(folder, 'products.jsonl'), 'utf8');
      await changeFile('products.jsonl', (lines) => lines.replace(/^\{"id":4,.*\n/m, ''));
      expect((await ops('catalog', 'publish', folder)).code).toBe(0);
      await freeMedicine();
      await writeFile(join(folder, 'products.jsonl'), whole);
      expect(await askedAbout('publish', folder)).toEqual(['sold_more_freely']);
      await writeFile(join(folder, 'products.jsonl'), whole.replace('{"id":4,', '{"id":904,'));
      expect(await askedAbout('publish', folder)).toEqual(['sold_more_freely']);
    });

    test('shortage marks products, and takes the mark back, and publishes nothing', async () => {
      await ops('catalog', 'publish', folder);
      const hasShortage = async () => (await readProduct(1)).has_shortage;
      expect(await opsJson('catalog', 'shortage', '1', '2', '2', '--on')).toMatchObject({ out_of_stock: [1, 2] });
      expect(await hasShortage()).toBe(true);
      expect(await opsJson('catalog', 'shortage', '1', '2', '129', '--off')).toMatchObject({ out_of_stock: [129] });
      expect([await hasShortage(), await listLabels()]).toEqual([false, [null]]);
    });

    test('shortage refuses products that are not there, and words that it does not understand', async () => {
      await ops('catalog', 'publish', folder);
      for (const [words, code, complaint] of [
        [['999999', '--on'], 1, 'The published catalog has no product 999999.\n'],
        [['1'], 2, 'Give exactly one of --on and --off.'],
        [['--on'], 2, '<products> is missing.'],
        [['uno', '--on'], 2, '<products> must be ids of products, not "uno".'],
      ] as const) {
        const refused = { code, out: '', err: expect.stringContaining(complaint) };
        expect(await ops('catalog', 'shortage', ...words)).toEqual(refused);
      }
    });
  });
});
