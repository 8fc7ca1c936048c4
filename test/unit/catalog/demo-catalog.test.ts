import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Catalog, ProductQuery } from '../../../shared/catalog/catalog.ts';
import { buildCatalog } from '../../../shared/catalog/compile/compile.ts';
import { openCatalog } from '../../../shared/catalog/read/open.ts';
import { shippingOptions } from '../../../shared/domain/shipping.ts';

let directory: string;
let catalog: Catalog;
let notes: readonly string[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'demo-catalog-'));
  const file = join(directory, 'demo.sqlite');
  const now = new Date('2026-11-21T18:00:00.000Z');
  const build = await buildCatalog('infra/local/demo-catalog', file, { previous: null, now });
  if ('errors' in build) throw new Error(JSON.stringify(build.errors, null, 2));
  notes = build.notes;
  catalog = openCatalog(file, { version: '0123456789abcdef', imageBaseUrl: 'https://images.example/' });
});

afterAll(async () => {
  catalog?.close();
  await rm(directory, { recursive: true, force: true });
});

const everything = { page: 1, limit: 100, search: '' } as const;
const byName = { field: 'name', descending: false } as const;
const newestFirst = { field: 'created_at', descending: true } as const;

const products = (filters: Partial<ProductQuery> = {}) =>
  catalog.products({ ...everything, ordering: [newestFirst], ...filters });
const available = { ...everything, ordering: [byName], available: true };

describe('products', () => {
  test('are 135, of which 129 can be bought and 123 of those are in stock', () => {
    expect(products().count).toBe(135);
    expect(products({ is_active: true }).count).toBe(129);
    expect(products({ is_active: true, has_shortage: false }).count).toBe(123);
  });

  // LGS art. 245 III, of a reform of 15 January 2026 tramadol too; art. 251 keeps their prescriptions.
  test('of fraction II are published inactive, with a note', () => {
    const barred = ['Alprazolam 0.25 mg', 'Clonazepam 2 mg', 'Tramadol 50 mg'];
    expect(notes.slice(0, -1)).toHaveLength(3);
    for (const name of barred) {
      expect(notes.some((note) => note.includes(name))).toBe(true);
      expect(products({ search: name }).results.map(({ is_active }) => is_active)).toEqual([false]);
    }
  });

  test('are without IVA when they are medicines or menstrual products, which is noted', () => {
    expect(notes.at(-1)).toBe(
      'Other goods without IVA, which only food and menstrual products are (LIVA art. 2-A I b and j): 1. 135 (Toallas femeninas nocturnas, Bolsa con 10 piezas).',
    );
  });

  test('have distinct times, so that the newest are first', () => {
    const times = products().results.map(({ created_at }) => created_at);
    expect(new Set(times).size).toBe(100);
    expect(times[0]).toBe('2026-05-26T14:26:00.000Z');
    expect(products().results[0]?.base.name).toBe('Digoxina 0.25 mg');
  });

  test('are as in a pharmacy: prescriptions, generics, IVA, tags', () => {
    expect(catalog.product(15)).toMatchObject({
      name: 'Amoxicilina 500 mg',
      presentation: 'Caja con 12 cápsulas',
      priceCents: 6_800,
      has_iva: false,
      requires_prescription: true,
      sat_key: '51101511',
    });
    expect(catalog.product(124)).toMatchObject({ name: 'Protector solar FPS 50+', priceCents: 32_900, has_iva: true });
    expect(catalog.productDetail(15)?.base?.tags.map(({ name }) => name)).toEqual(['Genérico', 'Antibiótico']);
    expect(catalog.productDetail(124)?.base?.is_medicine).toBe('false');
    expect(catalog.productDetail(131)?.base?.medical_information).toBeNull();
  });

  test.each<[number, string | null, string]>([
    [1, 'https://images.example/products/7509999000013.webp', 'the default of its album'],
    [127, 'https://images.example/products/7509999001270-frente.webp', 'the first of an album without a default'],
    [130, 'https://images.example/products/7509999001300.webp', 'its own, without an album'],
    [131, null, 'none'],
  ])('product %i shows %s: %s', (id, image) => {
    expect(catalog.product(id)?.default_image).toBe(image);
  });
});

describe('companies, categories and diseases', () => {
  test('are 11, 34 and 93', () => {
    expect(catalog.list('companies', { ...everything, ordering: [byName] }).count).toBe(11);
    expect(catalog.list('categories', { ...everything, ordering: [byName] }).count).toBe(34);
    expect(catalog.list('diseases', { ...everything, ordering: [byName] }).count).toBe(93);
  });

  test('a company without products and categories without anything to sell are not available', () => {
    const companies = catalog.list('companies', available).results.map(({ name }) => name);
    expect(companies).toHaveLength(10);
    expect(companies).not.toContain('Laboratorios Quimera');
    const categories = catalog.list('categories', available).results.map(({ name }) => name);
    for (const empty of ['Homeopatía', 'Hormonas']) {
      expect(categories).not.toContain(empty);
    }
    // It has products in the categories below it.
    expect(categories).toContain('Medicamentos');
    expect(categories).toHaveLength(32);
  });

  test('some categories have a parent, some diseases are chronic', () => {
    const categories = catalog.list('categories', { ...everything, ordering: [byName] }).results;
    expect(categories.find(({ name }) => name === 'Antibióticos')?.parent).toBe(30);
    expect(categories.find(({ name }) => name === 'Medicamentos')?.parent).toBeNull();
    const diseases = catalog.list('diseases', { ...everything, ordering: [byName] }).results;
    expect(diseases.find(({ name }) => name === 'Asma')?.is_chronic).toBe(true);
    expect(diseases.find(({ name }) => name === 'Fiebre')?.is_chronic).toBe(false);
  });
});

describe('shipping', () => {
  const listMethods = (zipcode: string) => catalog.shippingRates(zipcode).map((rate) => rate.shipping_method);
  const listOptions = (zipcode: string, now: string) =>
    shippingOptions({
      zipcode,
      rates: catalog.shippingRates(zipcode),
      methods: catalog.deliveryMethods,
      now: new Date(now),
    }).map(({ id, priceCents, discountCents }) => [id, priceCents, discountCents]);

  test.each([
    ['Aguascalientes', '20000'],
    ['Baja California', '22000'],
    ['Baja California Sur', '23000'],
    ['Campeche', '24000'],
    ['Chiapas', '29000'],
    ['Chihuahua', '31000'],
    ['Ciudad de México', '01000'],
    ['Coahuila', '25000'],
    ['Colima', '28000'],
    ['Durango', '34000'],
    ['Estado de México', '50000'],
    ['Guanajuato', '36000'],
    ['Guerrero', '39000'],
    ['Hidalgo', '42000'],
    ['Jalisco', '44100'],
    ['Michoacán', '58000'],
    ['Morelos', '62000'],
    ['Nayarit', '63000'],
    ['Nuevo León', '64000'],
    ['Oaxaca', '68000'],
    ['Puebla', '72000'],
    ['Querétaro', '76000'],
    ['Quintana Roo', '77500'],
    ['San Luis Potosí', '78000'],
    ['Sinaloa', '80000'],
    ['Sonora', '83000'],
    ['Tabasco', '86000'],
    ['Tamaulipas', '87000'],
    ['Tlaxcala', '90000'],
    ['Veracruz', '91700'],
    ['Yucatán', '97000'],
    ['Zacatecas', '98000'],
  ])('%s (%s) has a default and a standard rate', (_state, zipcode) => {
    expect(listMethods(zipcode)).toEqual(expect.arrayContaining([1, 3]));
  });

  test.each(['00000', '00500', '00999', '17000', '18500', '19999'])('%s, in no state, has none', (zipcode) => {
    expect(listMethods(zipcode)).toEqual([]);
  });

  test('the last zip codes of a state are served', () => {
    expect(listMethods('16999')).toContain(1);
    expect(listMethods('99999')).toContain(1);
  });

  test('is express and local in the big cities only', () => {
    expect(listOptions('03100', '2026-11-21T18:00:00Z')).toEqual([
      [5, 4_900, 0],
      [1, 7_900, 0],
      [3, 9_900, 0],
      [4, 14_900, 0],
    ]);
    expect(listMethods('98000')).toEqual([1, 3]);
  });

  test('costs more on an island than in the rest of its state', () => {
    expect(listOptions('77500', '2026-11-21T18:00:00Z')).toEqual([
      [2, 12_900, 0],
      [1, 15_900, 0],
      [3, 19_900, 0],
    ]);
    expect(listOptions('77600', '2026-11-21T18:00:00Z')).toEqual([
      [2, 12_900, 0],
      [1, 21_900, 0],
      [3, 26_900, 0],
    ]);
  });

  test('is discounted in Jalisco until the end of 2027', () => {
    expect(listOptions('47000', '2027-12-31T23:59:59-06:00')).toEqual([
      [1, 9_900, 3_000],
      [3, 12_900, 0],
    ]);
    expect(listOptions('47000', '2028-01-01T00:00:00-06:00')).toEqual([
      [1, 9_900, 0],
      [3, 12_900, 0],
    ]);
  });

  test('has one method for pickup, which is no delivery', () => {
    expect(catalog.pickupMethod).toMatchObject({ id: 6, company: 'Recolección en sucursal' });
    expect([...catalog.deliveryMethods.keys()]).toEqual([1, 2, 3, 4, 5]);
  });
});

describe('other records', () => {
  test('three stores', () => {
    expect([1, 2, 3, 4].map((id) => catalog.store(id)?.city)).toEqual([
      'Ciudad de México',
      'Guadalajara',
      'Monterrey',
      undefined,
    ]);
  });

  test('two payment methods that an operator records, and three that are collected', () => {
    const collected = [1, 2, 3, 4, 5, 6].map((id) => catalog.paymentMethod(id)?.collection);
    expect(collected).toEqual([undefined, undefined, 'card', 'oxxo', 'spei', undefined]);
    expect(catalog.paymentMethod(1)).toMatchObject({
      name: 'Tarjeta',
      initial_payment_status: 'unpaid',
      sat_payment_form: '04',
    });
    expect(catalog.paymentMethod(2)).toMatchObject({
      name: 'Crédito',
      initial_payment_status: 'credit',
      sat_payment_form: '99',
    });
  });

  test('seven coupons', () => {
    expect(catalog.coupon('bienvenida10')).toMatchObject({
      id: 1,
      value: '0.10',
      valueMicros: 100_000,
      has_free_shipping: false,
    });
    expect(catalog.coupon('MENOS50')).toMatchObject({ value: '50.00', valueMicros: 50_000_000 });
    expect(catalog.coupon('ENVIOGRATIS')).toMatchObject({ valueMicros: 0, has_free_shipping: true });
    expect(catalog.coupon('VERANO2025')?.valid_until).toBe('2025-09-01T05:59:59.000Z');
    expect(catalog.coupon('MINIMO500')).toMatchObject({ value: '75.00', minimumSubtotalCents: 50_000 });
    expect(catalog.coupon('PRIMERAS1000')).toMatchObject({ max_redemptions: 1_000, max_redemptions_per_patient: 1 });
    expect(catalog.coupon('CORTESIA100')).toMatchObject({ valueMicros: 1_000_000, minimumSubtotalCents: null });
  });

  test('the holidays of 2026 and 2027', () => {
    expect([...catalog.holidays].sort()).toEqual([
      '2026-01-01',
      '2026-02-02',
      '2026-03-16',
      '2026-05-01',
      '2026-09-16',
      '2026-11-16',
      '2026-12-25',
      '2027-01-01',
      '2027-02-01',
      '2027-03-15',
      '2027-05-01',
      '2027-09-16',
      '2027-11-15',
      '2027-12-25',
    ]);
  });

  test('knows the page of a shipment by the name of its carrier, and escapes its number', () => {
    expect(catalog.trackingUrl('CORREOS', 'RR 1/2')).toBe('https://correos.example/seguimiento?guia=RR%201%2F2');
    expect(catalog.trackingUrl('paqueteria andariega', '77')).toBe('https://andariega.example/rastreo/77');
    expect(catalog.trackingUrl('Otra', '77')).toBeNull();
  });
});
