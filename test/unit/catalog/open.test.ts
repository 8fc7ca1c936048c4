import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { categoriesContract } from '../../../shared/api/catalog/named.ts';
import { product, productListItem, productsContract } from '../../../shared/api/catalog/products.ts';
import { openCatalog } from '../../../shared/catalog/open.ts';
import { buildCatalog } from '../../../shared/catalog/publishing/compile/compile.ts';
import {
  catalogFolder,
  openRecords,
  removeCatalogFolders,
  smallCatalog,
} from '../../support/catalogs/small-catalog.ts';

const NOW = '2026-11-21T12:00:00.000Z';
const OPTIONS = { version: 'v1', imageBaseUrl: 'https://images.example/shop//' };

async function built(): Promise<string> {
  const folder = catalogFolder(smallCatalog());
  const file = join(folder, 'catalog.sqlite');
  await buildCatalog(folder, file, { previous: null, now: new Date(NOW) });
  return file;
}

const images = (id: number, ...some: object[]) => ({ image: 'main.png', album: { id, images: some } });
const records = smallCatalog();
const change = (file: 'bases' | 'products' | 'shipping_rates', line: number, fields: object) =>
  Object.assign(records[file][line] ?? {}, fields);
change('products', 0, {
  ...images(8, { id: 1, image: '/a.png' }, { id: 2, image: 'https://cdn.example/b.png', is_default: true }),
  cost: '20',
  average_cost: '21.5',
  current_supplier: 1,
  supplier_products: [{ id: 4, supplier: 1, cost: 20 }],
  product_variants: [{ id: 6, value: 'Fresa', variant: 1 }],
});
change('products', 1, images(9, { id: 1, image: '/c.png' }));
change('products', 2, images(10));
change('products', 4, { has_iva: true, partner_description: 'Controlado' });
change('bases', 1, { is_medicine: false, sanitary_fraction: null });
change('bases', 3, {
  created_by: 7,
  updated_by: 8,
  description: 'Para el dolor',
  medical_information: {
    id: 99,
    active_ingredient: 'Ácido acetilsalicílico',
    is_generic: false,
    group_number: 6,
    requires_prescription: false,
    created_at: '2026-02-01T00:00:00Z',
    updated_at: '2026-02-02T00:00:00Z',
  },
});
change('shipping_rates', 0, {
  discount_from: '2026-11-01T00:00:00-06:00',
  discount_until: '2026-11-30T23:59:59-06:00',
});
records.coupons.push({
  id: 2,
  code: 'ENVIO',
  description: 'Envío gratis',
  value: 0,
  has_free_shipping: true,
  minimum_subtotal: '500',
  max_redemptions: 100,
  max_redemptions_per_patient: 2,
  valid_until: '2027-01-01T05:59:59Z',
});
const catalog = await openRecords(records, OPTIONS.imageBaseUrl);
afterAll(removeCatalogFolders);

const named = (id: number, name: string) => ({ id, name, created_at: NOW, updated_at: NOW });

describe('a product', () => {
  it('is shown in full', () => {
    const detail = catalog.productDetail(101);
    expect(product.parse(detail)).toEqual(detail);
    expect(detail).toEqual({
      id: 101,
      name: 'Ácido fólico 5 mg',
      presentation: 'Caja',
      description: '',
      price: '50.00',
      cost: '20.00',
      public_price: null,
      average_cost: '21.50',
      has_iva: false,
      is_active: true,
      has_shortage: false,
      should_calculate_price: false,
      is_generic: false,
      sat_key: '51142001',
      sat_unit: 'H87',
      ean_key: '7501000000012',
      partner_description: '',
      active_ingredient: '',
      group_number: null,
      image: 'https://images.example/shop/main.png',
      category: 2,
      medical_information: null,
      pharmaceutical_company: 1,
      variants: [1],
      diseases: [1],
      current_supplier: named(1, 'Distribuidora Uno'),
      supplier_products: [{ id: 4, supplier: named(1, 'Distribuidora Uno'), cost: '20.00', product: 101 }],
      album: {
        id: 8,
        images: [
          { id: 1, album: 8, image: 'https://images.example/shop/a.png', is_default: false },
          { id: 2, album: 8, image: 'https://cdn.example/b.png', is_default: true },
        ],
      },
      product_variants: [{ id: 6, value: 'Fresa', variant: named(1, 'Sabor') }],
      base: {
        id: 10,
        name: 'Ácido fólico 5 mg',
        is_medicine: 'true',
        description: '',
        created_at: NOW,
        updated_at: NOW,
        created_by: null,
        updated_by: null,
        category: { ...named(2, 'Vitaminas'), parent: null, updated_at: '2026-03-02T00:00:00.000Z' },
        pharmaceutical_company: { ...named(1, 'Laboratorios Ánfora'), updated_at: '2026-03-01T00:00:00.000Z' },
        diseases: [named(1, 'Fiebre')],
        tags: [named(1, 'Nuevo')],
        medical_information: null,
      },
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: NOW,
    });
  });

  it('takes its medical fields from its base', () => {
    const detail = catalog.productDetail(105);
    expect(product.parse(detail)).toEqual(detail);
    expect(detail).toMatchObject({
      active_ingredient: 'Clonazepam',
      is_generic: true,
      group_number: 2,
      medical_information: 14,
      has_iva: true,
      partner_description: 'Controlado',
      base: {
        medical_information: {
          id: 14,
          base_product: 14,
          active_ingredient: 'Clonazepam',
          is_generic: true,
          group_number: 2,
          requires_prescription: true,
          created_at: NOW,
          updated_at: NOW,
        },
      },
    });
  });

  it('has medical information with an id and times of its own', () => {
    expect(catalog.productDetail(104)).toMatchObject({
      description: 'Para el dolor',
      image: '',
      album: null,
      is_active: false,
      has_iva: false,
      is_generic: false,
      medical_information: 99,
      base: {
        description: 'Para el dolor',
        created_by: 7,
        updated_by: 8,
        medical_information: {
          id: 99,
          base_product: 13,
          created_at: '2026-02-01T00:00:00.000Z',
          updated_at: '2026-02-02T00:00:00.000Z',
        },
      },
    });
  });

  it('has its shortage and its medical information in every view', () => {
    expect(catalog.product(103)).toMatchObject({ has_shortage: true, is_active: true });
    expect(catalog.productDetail(103)).toMatchObject({ has_shortage: true });
    const { results } = catalog.products(productsContract.query.parse({ id__in: '103,105', ordering: 'price' }));
    const medical = { active_ingredient: 'Clonazepam', is_generic: true, group_number: 2, requires_prescription: true };
    expect(results).toMatchObject([
      { id: 105, is_active: false, has_shortage: false, default_image: null, base: { medical_information: medical } },
      { id: 103, is_active: true, has_shortage: true, base: { medical_information: null } },
    ]);
  });

  it('is shown in lists', () => {
    const { results } = catalog.products(productsContract.query.parse({ id__in: '101' }));
    expect(results.map((item) => productListItem.parse(item))).toEqual(results);
    expect(results).toEqual([
      {
        id: 101,
        presentation: 'Caja',
        base: {
          id: 10,
          name: 'Ácido fólico 5 mg',
          pharmaceutical_company: { id: 1, name: 'Laboratorios Ánfora' },
          category: { id: 2, name: 'Vitaminas' },
          tags: [named(1, 'Nuevo')],
          medical_information: null,
        },
        created_at: '2026-01-01T00:00:00.000Z',
        updated_at: NOW,
        price: '50.00',
        is_active: true,
        has_shortage: false,
        ean_key: '7501000000012',
        default_image: 'https://cdn.example/b.png',
        name_slug: 'acido-folico-5-mg-caja',
      },
    ]);
  });

  it('is read for pricing', () => {
    expect(catalog.product(105)).toEqual({
      id: 105,
      name: 'Clonazepam 2 mg',
      presentation: 'Caja',
      ean_key: '7503000000054',
      sat_key: '51142001',
      sat_unit: 'H87',
      priceCents: 9_999,
      maxQuantity: null,
      has_iva: true,
      is_active: false,
      has_shortage: false,
      requires_prescription: true,
      sanitaryFraction: 'II',
      isAntibiotic: false,
      default_image: null,
    });
    expect(catalog.product(101)).toMatchObject({ priceCents: 5_000, has_iva: false, requires_prescription: false });
  });

  it('says whether it is a medicine, and of which sanitary fraction', () => {
    expect([101, 102].map((id) => catalog.productDetail(id)?.base?.is_medicine)).toEqual(['true', 'false']);
    expect([105, 104, 101, 102].map((id) => catalog.product(id)?.sanitaryFraction)).toEqual(['II', 'VI', 'VI', null]);
  });

  it('has no sanitary fraction if it is no medicine, whatever its group number', async () => {
    const changed = smallCatalog();
    Object.assign(changed.bases[4] ?? {}, { is_medicine: false, sanitary_fraction: null });
    const other = await openRecords(changed, OPTIONS.imageBaseUrl);
    expect(other.productDetail(105)?.group_number).toBe(2);
    expect(other.product(105)?.sanitaryFraction).toBeNull();
  });

  it.each([
    [101, 'https://cdn.example/b.png'],
    [102, 'https://images.example/shop/c.png'],
    [103, 'https://images.example/shop/main.png'],
    [104, null],
  ])('%i has the default image %s', (id, image) => {
    expect(catalog.product(id)?.default_image).toBe(image);
  });

  it.each([
    ['fotos/a.png', 'https://images.example/shop/fotos/a.png'],
    ['/fotos/a.png', 'https://images.example/shop/fotos/a.png'],
    ['http://cdn.example/a.png', 'http://cdn.example/a.png'],
    ['small/https://cdn.example/a.png', 'https://images.example/shop/small/https%3A//cdn.example/a.png'],
    ['fotos/niño 50% #1?.png', 'https://images.example/shop/fotos/ni%C3%B1o%2050%25%20%231%3F.png'],
    ['a+b & c=d@2x,ñ.webp', 'https://images.example/shop/a%2Bb%20%26%20c%3Dd%402x%2C%C3%B1.webp'],
    ['%2e%2e/a.png', 'https://images.example/shop/%252e%252e/a.png'],
  ])('with the image %s shows it at %s', async (image, address) => {
    const changed = smallCatalog();
    Object.assign(changed.products[0] ?? {}, { image });
    const other = await openRecords(changed, OPTIONS.imageBaseUrl);
    expect(other.productDetail(101)?.image).toBe(address);
  });

  it.each([0, 100, 999_999_999_999_999])('is undefined if there is none: %i', (id) => {
    expect(catalog.product(id)).toBeUndefined();
    expect(catalog.productDetail(id)).toBeUndefined();
  });
});

describe('records for orders', () => {
  it('has stores', () => {
    expect(catalog.store(1)).toEqual({
      id: 1,
      company_name: 'Botica',
      business_hours: '',
      name: '',
      street: 'Juárez',
      exterior_number: '1',
      interior_number: '',
      neighborhood: 'Centro',
      city: 'Puebla',
      state: 'Puebla',
      country: 'México',
      zipcode: '72000',
      phone: '+522221234567',
      additional_info: '',
      latitude: '19.043609',
      longitude: null,
      is_sat_branch: false,
      time_zone: null,
      created_at: NOW,
      updated_at: NOW,
    });
    expect(catalog.store(2)).toBeUndefined();
  });

  it('has payment methods', () => {
    expect(catalog.paymentMethod(1)).toEqual({
      id: 1,
      name: 'Tarjeta',
      fee: '0.0360',
      fixed_fee: '3.00',
      initial_payment_status: 'unpaid',
      sat_payment_form: '04',
      created_at: NOW,
      updated_at: NOW,
    });
    expect(catalog.paymentMethod(2)).toBeUndefined();
  });

  it('has shipping methods, for delivery and for pickup', () => {
    expect([...catalog.deliveryMethods.keys()]).toEqual([1]);
    expect(catalog.pickupMethod).toMatchObject({ id: 2, pickup: true, min_delivery_days: null });
    expect(catalog.shippingMethod(1)).toMatchObject({ method: 'default', min_delivery_days: 2, max_delivery_days: 4 });
    expect(catalog.shippingMethod(3)).toBeUndefined();
  });

  it.each([
    ['71999', [9_900]],
    ['72000', [9_900, 4_550]],
    ['72999', [9_900, 4_550]],
    ['73000', [9_900]],
  ])('has the rates of the zip code %s', (zipcode, prices) => {
    expect(catalog.shippingRates(zipcode).map(({ priceCents }) => priceCents)).toEqual(prices);
  });

  it('has the cost and the discount of a rate', () => {
    expect(catalog.shippingRates('72000')).toEqual([
      {
        id: 1,
        shipping_method: 1,
        zip_from: '00000',
        zip_to: '99999',
        priceCents: 9_900,
        costCents: null,
        discountCents: 4_900,
        discount_from: '2026-11-01T06:00:00.000Z',
        discount_until: '2026-12-01T05:59:59.000Z',
      },
      {
        id: 2,
        shipping_method: 1,
        zip_from: '72000',
        zip_to: '72999',
        priceCents: 4_550,
        costCents: 3_000,
        discountCents: null,
        discount_from: null,
        discount_until: null,
      },
    ]);
  });

  it.each(['envio', ' ENVIO '])('has a coupon with its conditions, under %j', (code) => {
    expect(catalog.coupon(code)).toEqual({
      id: 2,
      code: 'ENVIO',
      description: 'Envío gratis',
      value: '0.00',
      valueMicros: 0,
      has_free_shipping: true,
      minimum_subtotal: '500.00',
      max_redemptions: 100,
      max_redemptions_per_patient: 2,
      minimumSubtotalCents: 50_000,
      valid_from: null,
      valid_until: '2027-01-01T05:59:59.000Z',
    });
  });

  it('has a coupon without conditions, and none of another code', () => {
    expect(catalog.coupon('ahorra10')).toMatchObject({
      code: 'Ahorra10',
      description: '',
      value: '0.10',
      valueMicros: 100_000,
      has_free_shipping: false,
      minimumSubtotalCents: null,
      max_redemptions: null,
      valid_from: '2026-01-01T06:00:00.000Z',
      valid_until: null,
    });
    expect(catalog.coupon('AHORRA1')).toBeUndefined();
  });

  it('has holidays', () => {
    expect([...catalog.holidays]).toEqual(['2026-12-25']);
  });
});

describe('available categories', () => {
  const idsOf = async (prepare: (catalog: ReturnType<typeof smallCatalog>) => void) => {
    const catalog = smallCatalog();
    catalog.categories.push(
      { id: 4, name: 'Abuela' },
      { id: 5, name: 'Madre', parent: 4 },
      { id: 6, name: 'Hija', parent: 5 },
    );
    prepare(catalog);
    const opened = await openRecords(catalog);
    const query = categoriesContract.query.parse({ available: 'true', ordering: 'name' });
    const ids = opened.list('categories', query).results.map(({ id }) => id);
    return ids;
  };
  const moveProduct = (more: object) => (catalog: ReturnType<typeof smallCatalog>) => {
    catalog.bases[2] = { ...catalog.bases[2], category: 6 };
    catalog.products[2] = { ...catalog.products[2], has_shortage: false, ...more };
  };

  it('are those with a product to be bought now, and all above them', async () => {
    expect(await idsOf(moveProduct({}))).toEqual([4, 1, 6, 5, 2]);
  });

  it.each([{ has_shortage: true }, { is_active: false }])('do not count a product with %o', async (more) => {
    expect(await idsOf(moveProduct(more))).toEqual([1, 2]);
  });
});

describe('opening', () => {
  it('refuses a file that is no database or no catalog, has another format, or is cut short', async () => {
    const file = await built();
    writeFileSync(`${file}.text`, 'This is not a database. '.repeat(100));
    expect(() => openCatalog(`${file}.text`, OPTIONS)).toThrow(`${file}.text is no catalog, or not a whole one.`);
    new DatabaseSync(`${file}.other`).exec('CREATE TABLE t (x)');
    expect(() => openCatalog(`${file}.other`, OPTIONS)).toThrow(`${file}.other is no catalog, or not a whole one.`);
    writeFileSync(`${file}.next`, readFileSync(file));
    new DatabaseSync(`${file}.next`).exec('PRAGMA user_version = 99');
    expect(() => openCatalog(`${file}.next`, OPTIONS)).toThrow(
      'is a catalog of format 99; this program reads format 8.',
    );
    for (const bytes of [statSync(file).size - 1, 8_192, 0]) {
      truncateSync(file, bytes);
      expect(() => openCatalog(file, OPTIONS)).toThrow(`${file} is no catalog, or not a whole one.`);
    }
  });

  it.each([
    ["DELETE FROM columns WHERE name = 'barcodes'", 'the catalog has no column barcodes'],
    [
      "DELETE FROM records WHERE key = 2 AND kind = 'shipping_methods'",
      'The catalog has no shipping method for pickup.',
    ],
  ])('refuses a catalog after %s', async (change, message) => {
    const file = await built();
    const database = new DatabaseSync(file);
    database.exec(change);
    database.close();
    expect(() => openCatalog(file, OPTIONS)).toThrow(message);
  });
});
