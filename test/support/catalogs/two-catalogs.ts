import { smallCatalog } from './small-catalog.ts';

const ASPIRIN = {
  active_ingredient: 'Ácido acetilsalicílico',
  is_generic: true,
  group_number: 6,
  requires_prescription: false,
};

/** Returns a small catalog in which products 102, at 30.50, and 104, at 25.00 have the same active ingredient. */
export function catalogWithSubstitutes() {
  const records = smallCatalog();
  for (const base of records.bases) if (base.id === 11 || base.id === 13) base.medical_information = ASPIRIN;
  for (const product of records.products) {
    if (product.id === 104) Object.assign(product, { price: '25.00', is_active: true });
    if (product.id === 102 || product.id === 104) product.presentation = 'Tabletas';
  }
  return records;
}

/** Returns the same with one more holiday and rate, without product 103, and with another price, shortage and name. */
export function changedCatalog() {
  const records = catalogWithSubstitutes();
  const change = (id: number, more: object) =>
    records.products.map((one) => (one.id === id ? { ...one, ...more } : one));
  records.products = change(101, { price: '75.00', has_shortage: true }).filter(({ id }) => id !== 103);
  records.companies = records.companies.map((one) => (one.id === 2 ? { ...one, name: 'Beta Pharma' } : one));
  records.holidays.push({ date: '2027-01-01', name: 'Año Nuevo' });
  records.shipping_rates.push({ id: 3, shipping_method: 1, zip_from: '06000', zip_to: '06999', price: '60.00' });
  return records;
}
