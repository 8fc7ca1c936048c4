import type { PaymentMethod } from '../api/orders/payments.ts';
import type { Store } from '../api/people/addresses.ts';
import type { CatalogPage, CatalogPaymentMethod, CatalogStore } from '../catalog/catalog.ts';

// Records of the catalog as clients see them, without what they say to the pharmacy alone.

export const representStore = ({ is_sat_branch: _, ...shown }: CatalogStore): Store => shown;

export const representStores = ({ results, ...page }: CatalogPage<CatalogStore>): CatalogPage<Store> => ({
  ...page,
  results: results.map(representStore),
});

export const representPaymentMethod = ({
  initial_payment_status: _,
  sat_payment_form: __,
  ...shown
}: CatalogPaymentMethod): PaymentMethod => shown;
