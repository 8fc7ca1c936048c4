import type { Product } from '../../api/catalog/products.ts';
import type { PaymentMethod } from '../../api/orders/order-parts.ts';
import type { Store } from '../../api/people/addresses.ts';
import type { Catalog, CatalogPage, CatalogPaymentMethod, CatalogStore } from '../../catalog/catalog.ts';
import { formatCents } from '../../domain/money.ts';
import type { OrderLine } from '../order-parts.ts';

// Records of the catalog as clients see them, without the fields that only the pharmacy needs.

export const representStore = ({ is_sat_branch: _, time_zone: __, ...shown }: CatalogStore): Store => shown;

export const representStores = ({ results, ...page }: CatalogPage<CatalogStore>): CatalogPage<Store> => ({
  ...page,
  results: results.map(representStore),
});

export const representPaymentMethod = ({
  initial_payment_status: _,
  sat_payment_form: __,
  collection: ___,
  ...shown
}: CatalogPaymentMethod): PaymentMethod => shown;

/**
 * Returns a line's product as published today, or as last published. A catalog version compiled without its
 * predecessors lacks withdrawn products; the order's own copy then stands in.
 */
export const representProduct = (line: OrderLine, catalog: Catalog): Product =>
  catalog.productDetail(line.productId) ?? catalog.withdrawnProduct(line.productId) ?? copyOfLine(line);

const copyOfLine = (line: OrderLine): Product => ({
  id: line.productId,
  name: line.name,
  presentation: line.presentation,
  description: '',
  price: formatCents(line.priceCents),
  cost: null,
  public_price: null,
  average_cost: null,
  has_iva: line.ivaRateMicros > 0,
  is_active: false,
  has_shortage: null,
  should_calculate_price: null,
  is_generic: null,
  sat_key: line.satKey,
  sat_unit: line.satUnit,
  ean_key: line.eanKey,
  partner_description: '',
  active_ingredient: '',
  group_number: null,
  image: '',
  category: null,
  medical_information: null,
  pharmaceutical_company: null,
  variants: [],
  diseases: [],
  current_supplier: null,
  supplier_products: [],
  album: null,
  product_variants: [],
  base: null,
  created_at: null,
  updated_at: null,
});
