import * as z from 'zod';
import { existingClient } from '../../../shared/access/clients.ts';
import { productsContract } from '../../../shared/api/catalog/products.ts';
import { MAX_SEARCH } from '../../../shared/api/lists.ts';
import type { Catalog } from '../../../shared/catalog/catalog.ts';
import { countRedemptions } from '../../../shared/order/lists/counters.ts';
import { command } from '../command.ts';
import { flag, recordId } from '../input.ts';
import { countText } from '../output.ts';
import { withPublishedCatalog } from './published-catalog.ts';

const PAGE = 20;

export const catalogSearch = command({
  name: 'catalog search',
  summary: 'Search the products of the current catalog as clients do',
  example: 'paracetamol --all',
  details: "Without words ('') it lists all products, the newest first, as the API does.",
  positional: ['text'],
  input: z.object({
    text: z.string().max(MAX_SEARCH).describe(`a text of at most ${MAX_SEARCH} characters`),
    all: flag.describe('search presentation, active ingredient, its synonyms and company too, as search_all=true does'),
    page: recordId.prefault('1').meta({ title: 'number' }),
  }),
  async run(search) {
    const found = await withPublishedCatalog((catalog) => searchProducts(catalog, search));
    const suggestion = found.did_you_mean === null ? '' : ` Did you mean "${found.did_you_mean}"?`;
    return {
      document: found,
      columns: COLUMNS,
      remark: `${countText(found.count, 'product')} in version ${found.version}, page ${found.page} of ${found.pages}.${suggestion}`,
    };
  },
});

const SALE = ['is_active', 'has_shortage', 'requires_prescription'] as const;
const COLUMNS = ['id', 'name', 'presentation', 'price', ...SALE, 'substitute'] as const;

/** Answers what GET /api/products/ does, with the spelling that it suggests and the cheapest substitute of each product. */
function searchProducts(catalog: Catalog, { text, all, page }: { text: string; all: boolean; page: number }) {
  const asked = { search: text, search_all: String(all), page: String(page), limit: String(PAGE), spelling: 'true' };
  const { count, results, did_you_mean = null } = catalog.products(productsContract.query.parse(asked));
  const products = results.map(({ id, base, ...product }) => ({
    id,
    name: base.name,
    presentation: product.presentation,
    company: base.pharmaceutical_company.name,
    price: product.price,
    is_active: product.is_active,
    has_shortage: product.has_shortage,
    requires_prescription: base.medical_information?.requires_prescription ?? false,
    ean_key: product.ean_key,
    substitute: findSubstitute(catalog, id),
  }));
  const pages = Math.max(1, Math.ceil(count / PAGE));
  return { version: catalog.version, search: text, count, page, pages, did_you_mean, products };
}

function findSubstitute(catalog: Catalog, product: number) {
  const [cheapest] = catalog.substitutes(product, { page: 1, limit: 1 })?.results ?? [];
  if (!cheapest) return null;
  const { id, base, presentation, price, saving } = cheapest;
  return { id, name: base.name, presentation, price, saving };
}

export const catalogCoupons = command({
  name: 'catalog coupons',
  summary: 'List the published coupons, with the redemptions by the orders of a client of those that have a limit',
  example: '--client 2',
  input: z.object({ client: recordId }),
  async run({ client }, { table }) {
    await existingClient(client, table);
    const published = await withPublishedCatalog((catalog) => catalog.coupons());
    const redeemed = await countRedemptions(table, client);
    const coupons = published.map((coupon) => ({
      id: coupon.id,
      code: coupon.code,
      valid_from: coupon.valid_from,
      valid_until: coupon.valid_until,
      // Only a limit over all patients is counted in one number.
      redeemed: coupon.max_redemptions === null ? null : (redeemed.get(coupon.id) ?? 0),
      max_redemptions: coupon.max_redemptions,
      max_redemptions_per_patient: coupon.max_redemptions_per_patient,
    }));
    return { document: { client, coupons } };
  },
});
