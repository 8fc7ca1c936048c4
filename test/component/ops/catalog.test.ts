import { mkdir, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { HeadObjectCommand } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withPublishedCatalog } from '../../../infra/ops/catalog/published-catalog.ts';
import { listKeys, putObject } from '../../../shared/catalog/bucket.ts';
import { CATALOG_FILES, type CatalogFile } from '../../../shared/catalog/publishing/folder/folder.ts';
import { catalogFolder, smallCatalog } from '../../support/catalogs/small-catalog.ts';
import { type LocalS3, startLocalS3 } from '../../support/engines/local-s3.ts';
import { operate } from '../../support/operators/operator.ts';
import { PNG } from '../../support/orders/samples.ts';

// An operator publishes and updates a catalog; dangerous changes (`unit/catalog/compare` has all) are asked about first, and
// updates stay from day to day.

let s3: LocalS3;
beforeEach(async () => {
  // `--local` uses these buckets.
  s3 = await startLocalS3('pharmacy-catalog', 'pharmacy-images');
  vi.stubEnv('AWS_ENDPOINT_URL_S3', s3.endpoint);
  vi.stubEnv('AWS_SESSION_TOKEN', 'of another account');
});
afterEach(async () => {
  vi.useRealTimers();
  await s3.stop();
});

type Changes = Readonly<Record<string, object | null>>;
const medical = (group_number: number) => ({
  ...{ active_ingredient: 'Ibuprofeno', is_generic: true },
  ...{ group_number, requires_prescription: group_number <= 4 },
});
/** Only by prescription, and without. */
const PRESCRIBED = { sanitary_fraction: 'IV', medical_information: medical(4) };
const FREE = { sanitary_fraction: 'VI', medical_information: medical(6) };

/** Returns a folder of the small catalog, in which product 104 is prescribed, with changes by file and id; null removes one. */
function shop(changes: Changes = {}): string {
  const records = smallCatalog();
  for (const [place, fields] of Object.entries({ 'bases:13': PRESCRIBED, ...changes })) {
    const [file = '', key = ''] = place.split(':');
    const lines = records[file as CatalogFile];
    const at = lines.findIndex(({ id, date }) => String(id ?? date) === key);
    if (fields === null) lines.splice(at, 1);
    else if (at >= 0) Object.assign(lines[at] ?? {}, fields);
    else lines.push({ id: Number(key), ...fields });
  }
  return catalogFolder(records);
}

const bucket = () => ({ s3: s3.client, name: 'pharmacy-catalog' });
const ops = (...argv: string[]) => operate('pipe', '--local', 'catalog', ...argv);
const json = async (...argv: string[]) => JSON.parse((await ops(...argv, '--json')).out);
const publish = (folder = shop(), ...more: string[]) => json('publish', folder, ...more);
const listVersions = () => json('versions');
const codesOf = ({ dangers = [] }: { dangers?: readonly { code: string }[] }) => dangers.map(({ code }) => code);
async function sheet(content: string): Promise<string> {
  const file = join(catalogFolder({}), 'hoja.csv');
  await writeFile(file, content);
  return file;
}
const update = async (content: string, ...options: string[]) => json('update', await sheet(content), ...options);

describe('the operator of a catalog', () => {
  it('sees who published each version, under which label, and what it changed', async () => {
    expect(await listVersions()).toEqual({ current: null, versions: [] });
    expect((await publish()).outcome).toBe('published');
    expect((await publish()).outcome).toBe('unchanged');
    const changed = shop({ 'companies:4': { name: 'Laboratorios Ejemplo' }, 'products:101': { price: '55.00' } });
    const { version, review } = await publish(changed, '--label', 'Precios de diciembre');
    expect(review.published_inactive).toEqual([{ id: 105, name: 'Clonazepam 2 mg', presentation: 'Caja' }]);
    const { current, versions } = await listVersions();
    const [second, first] = versions;
    expect([current, second.version, second.label, second.author]).toEqual([
      ...[version, version, 'Precios de diciembre', userInfo().username],
    ]);
    expect(second.difference).toEqual({
      from: first.version,
      kinds: { products: { added: 0, removed: 0, changed: 1 }, companies: { added: 1, removed: 0, changed: 0 } },
    });
    expect([first.label, first.difference]).toEqual([null, null]);
    // A version keeps its record, but for a label under which it is published again.
    await publish(changed);
    expect((await listVersions()).versions[0]).toEqual(second);
    await publish(changed, '--label', 'Segunda');
    expect((await listVersions()).versions[0]).toEqual({ ...second, label: 'Segunda' });
  });

  it('publishes images that are new, under names that never get another content', async () => {
    const folder = shop();
    const write = async (name: string, more = '') => {
      await mkdir(join(folder, 'images'), { recursive: true });
      await writeFile(join(folder, 'images', name), Buffer.concat([Buffer.from(PNG, 'base64'), Buffer.from(more)]));
      const { images, new_images } = await publish(folder);
      return [images, new_images];
    };
    expect([await write('7501000000012.png'), await write('7501000000029.png', 'another')]).toEqual([
      [1, 1],
      [2, 1],
    ]);
    expect(await write('7501000000012.png', 'changed')).toEqual([2, 1]);
    const keys = await listKeys({ s3: s3.client, name: 'pharmacy-images' }, '');
    const Key = await withPublishedCatalog((catalog) => catalog.product(101)?.default_image?.slice(1));
    expect([keys.length, keys.includes(String(Key))]).toEqual([3, true]);
    expect(await s3.client.send(new HeadObjectCommand({ Bucket: 'pharmacy-images', Key }))).toMatchObject({
      ContentType: 'image/png',
      CacheControl: 'public, max-age=31536000, immutable',
    });
  });

  it('sees what a folder changes, without publishing it', async () => {
    const { version } = await publish();
    const repriced = { kind: 'products', id: 101, before: '50.00', after: '55.00' };
    const folder = shop({ 'products:101': { price: '55.00' } });
    const built = await json('build', folder);
    expect([built.current, built.difference.prices, built.dangers]).toEqual([version, [repriced], []]);
    expect((await listVersions()).current).toBe(version);
  });

  it('sees 50 errors of a kind, each kind by itself, without control characters', async () => {
    const folder = shop();
    await writeFile(join(folder, 'tags.jsonl'), `{"id":1,"name":"x","\\u001b[2Jy":1}\n{"id":2}\n${'{\n'.repeat(60)}`);
    const { code, out } = await ops('build', folder);
    const lines = out.split('\n').filter((line) => line.startsWith('tags.jsonl'));
    expect([code, lines.length, lines[0]]).toEqual([1, 53, expect.stringMatching(/^tags\.jsonl:1 {2}\[2Jy: /)]);
    const { errors } = await json('build', folder);
    expect(errors).toHaveLength(62);
  });
});

describe('without --accept', () => {
  const RATES = { 'shipping_rates:1': null, 'shipping_rates:2': null };
  const OVER = { 'coupons:1': { valid_until: '2026-11-20T00:00:00Z' } };
  it.each<[string, before: Changes, after: Changes, ...codes: string[]]>([
    ['rates that were cut off', {}, RATES, 'shipping_rates_removed', 'id_in_use_removed'],
    ['a holiday to come', {}, { 'holidays:2026-12-25': null }, 'holidays_removed'],
    ['a valid coupon', {}, { 'coupons:1': null }, 'id_in_use_removed'],
    ['no coupon that is over', OVER, { 'coupons:1': null }],
    ['a product of another base', {}, { 'products:102': { base: 12 } }, 'sold_more_freely'],
    ['a medicine without its prescription', {}, { 'bases:13': FREE }, 'sold_more_freely'],
    ['a milder fraction', { 'bases:12': { sanitary_fraction: 'V' } }, {}, 'sold_more_freely'],
    ['a stricter fraction', {}, { 'bases:12': { sanitary_fraction: 'V' } }],
    ['no medicine any more', {}, { 'bases:12': { sanitary_fraction: null, is_medicine: false } }, 'sold_more_freely'],
  ])('%s is asked about, and then published', async (_, before, after, ...codes) => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-21T18:00:00.000Z') });
    const { version } = await publish(shop(before));
    const folder = shop(after);
    const second = await publish(folder);
    expect([second.outcome, codesOf(second)]).toEqual([codes.length > 0 ? 'refused' : 'published', codes]);
    if (codes.length > 0) expect((await listVersions()).current).toBe(version);
    expect((await publish(folder, '--accept')).outcome).toBe(codes.length > 0 ? 'published' : 'unchanged');
  });

  it('a medicine is not sold more freely by way of a withdrawal, or under another id', async () => {
    await publish();
    expect((await publish(shop({ 'products:104': null }), '--accept')).withdrawn).toBe(1);
    expect(codesOf(await publish(shop({ 'bases:13': FREE })))).toEqual(['sold_more_freely']);
    const [product] = smallCatalog().products.filter(({ id }) => id === 104);
    const renamed = shop({ 'bases:13': FREE, 'products:104': null, 'products:904': { ...product, id: 904 } });
    expect(codesOf(await publish(renamed))).toEqual(['sold_more_freely']);
  });

  it('a first catalog has products, and the current one can be read', async () => {
    const { products: _, ...others } = smallCatalog();
    expect(codesOf(await publish(catalogFolder({ ...others, products: [] })))).toEqual(['no_products']);
    expect((await listVersions()).versions).toEqual([]);
    await publish();
    const [snapshot = ''] = await listKeys(bucket(), 'snapshots/');
    for (const key of [snapshot, 'current.json']) {
      await putObject(bucket(), key, 'damaged');
      expect(codesOf(await publish())).toEqual(['current_unreadable']);
    }
    expect((await publish(shop(), '--accept')).outcome).toBe('published');
  });
});

describe('from day to day', () => {
  it('an update is refused with its errors, or without --accept if it looks like an accident', async () => {
    expect((await ops('update', await sheet('id,price\n101,30.00\n'))).code).toBe(1);
    const { version } = await publish();
    expect((await update('id,price\n101,barato\n')).errors).toMatchObject([
      { file: 'hoja.csv', line: 2, field: 'price' },
    ]);
    expect(codesOf(await update('id,price\n101,2850.00\n'))).toEqual(['prices_changed']);
    expect(codesOf(await update('id,base\n104,12\n'))).toEqual(['sold_more_freely']);
    expect((await listVersions()).current).toBe(version);
    expect((await update('id,price\n101,2850.00\n', '--accept', '--label', 'Martes')).outcome).toBe('published');
    expect((await update('id,price\n101,2850.00\n', '--label', 'Miércoles')).outcome).toBe('unchanged');
    expect((await listVersions()).versions.map(({ label }: { label: string }) => label)).toEqual(['Miércoles', null]);
  });

  const FIELDS = {
    base: ['11', 11],
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
    current_supplier: ['1', 1],
    created_at: ['2026-02-03T04:05:06.000Z', '2026-02-03T04:05:06.000Z'],
    updated_at: ['2026-02-04T04:05:06.000Z', '2026-02-04T04:05:06.000Z'],
  } as const;
  const NAMES = Object.keys(FIELDS) as (keyof typeof FIELDS)[];
  const NESTED = {
    album: { id: 1, images: [{ id: 1, image: 'a.png' }] },
    supplier_products: [{ id: 1, supplier: 1, cost: '5.00' }],
    product_variants: [{ id: 1, value: 'Fresa', variant: 1 }],
  };
  const readProduct = (id: number) =>
    withPublishedCatalog((catalog) => {
      const { base, image, current_supplier, ...shown } = catalog.productDetail(id) ?? {};
      const max_quantity = catalog.product(id)?.maxQuantity;
      return { ...shown, base: base?.id, image: image?.slice(1), current_supplier: current_supplier?.id, max_quantity };
    });

  it('what Monday changed in any field is there on Tuesday, Wednesday and after', async () => {
    expect(['id', ...Object.keys(NESTED), ...NAMES].toSorted()).toEqual(
      Object.keys(CATALOG_FILES.products.shape).toSorted(),
    );
    await publish(shop({ 'products:101': NESTED }));
    const { album, supplier_products, product_variants } = await readProduct(101);
    const monday = `id,${NAMES.join(',')}\n101,${NAMES.map((name) => FIELDS[name][0]).join(',')}\n`;
    expect((await update(monday, '--accept')).outcome).toBe('published');
    const changed = await readProduct(101);
    expect(changed).toMatchObject({ album, supplier_products, product_variants });
    expect(changed).toMatchObject(Object.fromEntries(NAMES.map((name) => [name, FIELDS[name][1]])));

    expect((await update('id,price,has_shortage\n102,63.00,true\n')).outcome).toBe('published');
    expect(await readProduct(101)).toEqual(changed);
    // Of the product itself only the field of the list changes, and the time that it has not given.
    expect((await update('id,price\n101,31.00\n')).outcome).toBe('published');
    const { updated_at, ...repriced } = await readProduct(101);
    expect(repriced).toEqual({ ...changed, price: '31.00', updated_at: undefined });
    expect(String(updated_at) > FIELDS.updated_at[1]).toBe(true);
    expect(await readProduct(102)).toMatchObject({ price: '63.00', has_shortage: true });
  });

  it('an update keeps withdrawn products, synonyms, and the list of an accountant, by which alone a key is refused', async () => {
    await publish();
    expect((await publish(shop({ 'products:106': null }), '--accept')).withdrawn).toBe(1);
    const unlisted = await update('id,sat_key\n101,51142099\n');
    expect([unlisted.outcome, unlisted.withdrawn]).toEqual(['published', 1]);
    expect(unlisted.review.sat_keys_unlisted).toMatchObject([{ id: 101 }]);
    const folder = shop({ 'products:106': null });
    await writeFile(join(folder, 'sat_product_keys.jsonl'), '{"key":"51142098","name":"De la contadora"}\n');
    await writeFile(join(folder, 'synonyms.jsonl'), '{"active_ingredient":"Ibuprofeno","synonyms":["Advil"]}\n');
    await publish(folder, '--accept');
    expect((await update('id,sat_key\n101,51142098\n')).outcome).toBe('published');
    const errors = [{ file: 'hoja.csv', line: 2, field: 'sat_key' }];
    expect(await update('id,sat_key\n102,51142099\n')).toMatchObject({ errors });
    expect((await json('search', 'advil', '--all')).count).toBe(1);
  });

  it('a folder asks about the fields alone that it would undo, each product by name', async () => {
    await publish();
    await update('id,price,has_shortage,partner_description\n101,55.00,,De lunes\n102,,true,\n');
    await update('id,price\n103,130.00\n');
    // The folder knows the price of 103 and the shortage of 102, and describes 101 otherwise; the presentation of 102 and the
    // price of 106 are its own matter.
    const own: Changes = {
      'products:101': { price: '55.00' },
      'products:102': { has_shortage: true, presentation: 'Nueva' },
      'products:103': { price: '130.00' },
      'products:106': { price: '80.50' },
    };
    const asked = await publish(shop(own));
    expect(codesOf(asked)).toEqual(['updates_undone']);
    expect(asked.dangers[0].message).toMatch(/: 101 \(Ácido fólico 5 mg, Caja, partner_description\)\.$/);
    expect((await json('build', shop(own))).dangers).toEqual(asked.dangers);
    expect((await publish(shop(own), '--accept')).outcome).toBe('published');
    expect((await readProduct(101)).partner_description).toBe('');
    // An update that the folder has settled is none any more.
    expect((await publish(shop({ ...own, 'products:101': { price: '54.00' } }))).outcome).toBe('published');
  });

  it('a folder that says the same as an update has settled it', async () => {
    await publish();
    await update('id,price\n101,55.00\n');
    expect((await publish(shop({ 'products:101': { price: '55.00' } }))).outcome).toBe('unchanged');
    expect((await publish(shop({ 'products:101': { price: '54.00' } }))).outcome).toBe('published');
  });

  it('a folder asks before it takes away a product that an update has added, or changes it', async () => {
    await publish();
    const header = 'id,base,presentation,price,has_iva,sat_key,sat_unit,ean_key';
    await update(`${header}\n900,10,Caja con 10,15.00,false,51142001,H87,012345678905\n`);
    const undone = async (changes: Changes) => (await publish(shop(changes))).dangers.at(-1);
    expect(await undone({})).toMatchObject({
      code: 'updates_undone',
      message: expect.stringContaining(': 900 (Ácido fólico 5 mg, Caja con 10, removed).'),
    });
    const product = { ...smallCatalog().products[0], id: 900, created_at: undefined, ean_key: '012345678905' };
    expect(await undone({ 'products:900': { ...product, presentation: 'Caja con 10', price: '16.00' } })).toMatchObject(
      {
        code: 'updates_undone',
        message: expect.stringContaining(': 900 (Ácido fólico 5 mg, Caja con 10, price).'),
      },
    );
  });
});
