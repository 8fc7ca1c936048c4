import * as z from 'zod';
import { type ProductListItem, productsContract, type Substitute } from '../../../shared/api/catalog/products.ts';
import { MAX_SEARCH } from '../../../shared/api/lists.ts';
import type { Catalog, CatalogCoupon } from '../../../shared/catalog/catalog.ts';
import { countRedemptions } from '../../../shared/store/orders/redemptions.ts';
import { existingClient } from '../clients/existing-client.ts';
import { command } from '../command.ts';
import { flag, recordId } from '../input.ts';
import { recordTable, textTable } from '../output.ts';
import { withPublishedCatalog } from './published-catalog.ts';

const PAGE = 20;

export const catalogSearch = command({
  name: 'catalog search',
  summary: 'Search the products as clients do, in the current catalog or another version',
  example: 'paracetamol --version 0123456789abcdef',
  details: "Without words ('') it lists all products, the newest first, as the API does.\n\n",
  positional: ['text'],
  input: z.object({
    text: z.string().max(MAX_SEARCH).describe(`a text of at most ${MAX_SEARCH} characters`),
    all: flag.describe('search presentation, active ingredient, its synonyms and company too, as search_all=true does'),
    version: z.string().meta({ title: 'version' }).optional(),
    page: recordId.prefault('1').meta({ title: 'number' }),
  }),
  async run({ text, all, version, page }, context) {
    const search = (catalog: Catalog) => searchProducts(catalog, { text, all, page });
    const found = await withPublishedCatalog(search, version);
    const rows = found.products.map(({ substitute, ...product }) => ({
      ...product,
      sale: describeSale(product),
      requires: product.requires_prescription ? 'prescription' : '',
      substitute: substitute?.id ?? '',
      saving: substitute?.saving ?? '',
    }));
    const suggestion = found.did_you_mean === null ? '' : ` Did you mean "${found.did_you_mean}"?`;
    return {
      document: found,
      text: rows.length > 0 ? textTable(COLUMNS, rows, context) : '',
      remark: `${found.count} products in version ${found.version}, page ${page} of ${found.pages}.${suggestion}`,
    };
  },
});

const COLUMNS = ['id', 'name', 'presentation', 'price', 'sale', 'requires', 'substitute', 'saving'] as const;

type Search = { readonly text: string; readonly all: boolean; readonly page: number };

/** Answers what GET /api/products/ does, with the spelling that it suggests and the cheapest substitute of each product. */
function searchProducts(catalog: Catalog, { text, all, page }: Search) {
  const asked = { search: text, search_all: String(all), page: String(page), limit: String(PAGE), spelling: 'true' };
  const { count, results, did_you_mean = null } = catalog.products(productsContract.query.parse(asked));
  const pages = Math.max(1, Math.ceil(count / PAGE));
  const products = results.map((product) => representFound(product, catalog));
  return { version: catalog.version, search: text, count, page, pages, did_you_mean, products };
}

function representFound({ id, base, presentation, price, ...product }: ProductListItem, catalog: Catalog) {
  const { name, pharmaceutical_company: company, medical_information: medical } = base;
  const [substitute] = catalog.substitutes(id, { page: 1, limit: 1 })?.results ?? [];
  return {
    id,
    name,
    presentation,
    company: company.name,
    price,
    is_active: product.is_active,
    has_shortage: product.has_shortage,
    requires_prescription: medical?.requires_prescription ?? false,
    ean_key: product.ean_key,
    substitute: substitute ? representSubstitute(substitute) : null,
  };
}

const representSubstitute = ({ id, base, presentation, price, saving }: Substitute) => {
  return { id, name: base.name, presentation, price, saving };
};

function describeSale({ is_active, has_shortage }: Pick<ProductListItem, 'is_active' | 'has_shortage'>): string {
  if (!is_active) return 'not sold';
  return has_shortage ? 'out of stock' : 'in stock';
}

export const catalogCoupons = command({
  name: 'catalog coupons',
  summary: 'List the published coupons, with the redemptions by the orders of a client of those that have a limit',
  example: '--client 2',
  input: z.object({ client: recordId }),
  async run({ client }, context) {
    await existingClient(client, context.table);
    const published = await withPublishedCatalog((catalog) => catalog.coupons());
    const redeemed = await countRedemptions(context.table, client);
    const coupons = published.map((coupon) => representCoupon(coupon, redeemed.get(coupon.id)));
    return { document: { client, coupons }, text: recordTable(coupons, context) };
  },
});

const representCoupon = (coupon: CatalogCoupon, redeemed = 0) => ({
  id: coupon.id,
  code: coupon.code,
  valid_from: coupon.valid_from,
  valid_until: coupon.valid_until,
  // Only a limit over all patients is counted in one number.
  redeemed: coupon.max_redemptions === null ? null : redeemed,
  max_redemptions: coupon.max_redemptions,
  max_redemptions_per_patient: coupon.max_redemptions_per_patient,
});
