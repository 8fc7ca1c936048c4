import { smallCatalog, toBarcode } from './small-catalog.ts';

const product = (id: number, price: string, more: Record<string, unknown> = {}) => {
  const sat = { has_iva: true, sat_key: '51142001', sat_unit: 'H87' };
  return { id, base: id, presentation: 'Pieza', price, ...sat, ean_key: toBarcode(id), ...more };
};
const base = (id: number, more: object = {}) => {
  return { id, name: `Producto ${id}`, category: 1, pharmaceutical_company: 1, sanitary_fraction: 'VI', ...more };
};
const rate = (shipping_method: number, zip_from: string, zip_to: string, price: string, more = {}) => {
  return { shipping_method, zip_from, zip_to, price, ...more };
};

const PRODUCTS = [
  product(1, '85.50', { has_iva: false }),
  product(2, '249.99'),
  product(3, '113.33'),
  product(4, '20.00', { is_active: false }),
  product(5, '10.00', { has_iva: false, has_shortage: true }),
  product(6, '90.00'),
  product(7, '33.33'),
  product(8, '1.03'),
  product(9, '9999999.99'),
  product(10, '40.00', { has_iva: false, presentation: 'Caja con 10' }),
  product(11, '50.00', { has_iva: false, has_shortage: true, presentation: '' }),
];

const medicalInformation = (active_ingredient: string, group_number: number) => ({
  medical_information: { active_ingredient, is_generic: true, group_number, requires_prescription: true },
});
const PRESCRIBED = { sanitary_fraction: 'IV', ...medicalInformation('Amoxicilina', 4) };
const BASES: Readonly<Record<number, object>> = {
  6: { sanitary_fraction: 'III', ...medicalInformation('Amitriptilina', 3) },
  10: PRESCRIBED,
  11: PRESCRIBED,
};

const RATES = [
  rate(1, '00500', '00599', '33.00'),
  // The quote takes the method named default although another is cheaper; its discount lasts for November.
  rate(1, '10000', '19999', '99.00', {
    discount: '49.00',
    discount_from: '2026-11-01T00:00:00-06:00',
    discount_until: '2026-11-30T23:59:59-06:00',
    cost: '80.00',
  }),
  rate(3, '10000', '19999', '50.00'),
  rate(4, '10000', '19999', '150.00'),
  // Two methods named default have one price, and the second has narrower ranges.
  rate(1, '20000', '29999', '99.00'),
  rate(2, '20000', '29999', '99.00'),
  rate(2, '20500', '20599', '60.00'),
  rate(2, '20550', '20550', '70.00'),
  // Without a method named default, the quote takes the cheapest; the lower id wins among equal prices.
  rate(3, '30000', '30999', '120.00'),
  rate(4, '30000', '30999', '90.00'),
  rate(4, '31000', '31999', '80.00'),
  rate(3, '31000', '31999', '80.00'),
  // The delivery days of this method are unknown.
  rate(5, '40000', '40999', '0.00'),
];

const COUPONS = [
  { code: 'DIEZ', value: '0.10' },
  { code: 'Octavo', value: '0.125' },
  { code: 'TODO', value: '1.00' },
  { code: 'UNOYUNO', value: '1.01' },
  { code: 'FIJO10', value: 10 },
  { code: 'GRANDE', value: '100000.00' },
  { code: 'GRATIS', value: '0.00', has_free_shipping: true },
  { code: 'DIEZGRATIS', value: '0.10', has_free_shipping: true },
  { code: 'FUTURO', value: '0.10', valid_from: '2026-12-01T00:00:00-06:00' },
  { code: 'VIEJO', value: '0.10', valid_until: '2026-11-20T23:59:59-06:00' },
  { code: 'MINIMO', value: '0.10', minimum_subtotal: '500.00' },
];

/** Returns a catalog whose quotes can be worked out by hand. */
export function quoteCatalog(): ReturnType<typeof smallCatalog> {
  return {
    ...smallCatalog(),
    bases: PRODUCTS.map(({ id }) => base(id, { ...BASES[id] })),
    products: PRODUCTS,
    shipping_methods: [
      { id: 1, company: 'Uno', method: 'default', min_delivery_days: 2, max_delivery_days: 4 },
      { id: 2, company: 'Dos', method: 'default', min_delivery_days: 3, max_delivery_days: 5 },
      { id: 3, company: 'Tres', method: 'standard', min_delivery_days: 1, max_delivery_days: 2 },
      { id: 4, company: 'Cuatro', method: 'express', min_delivery_days: 0, max_delivery_days: 1 },
      { id: 5, company: 'Cinco', method: 'local' },
      { id: 6, company: 'Tienda', method: 'local', min_delivery_days: 0, max_delivery_days: 1, pickup: true },
    ],
    shipping_rates: RATES.map((one, index) => ({ id: index + 1, ...one })),
    coupons: COUPONS.map((one, index) => ({ id: index + 1, ...one })),
    holidays: [
      { date: '2026-11-16', name: 'Revolución' },
      { date: '2026-11-27', name: 'Inventario' },
    ],
  };
}
