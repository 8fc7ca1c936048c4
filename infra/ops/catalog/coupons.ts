import type { CatalogCoupon } from '../../../shared/catalog/catalog.ts';
import { countRedemptions } from '../../../shared/store/orders/redemptions.ts';
import { openTable } from '../../../shared/store/table.ts';
import { existingClient } from '../clients/existing-client.ts';
import { command } from '../command.ts';
import { recordId } from '../input.ts';
import { recordTable } from '../terminal/text-table.ts';
import { withPublishedCatalog } from './published-catalog.ts';

export const catalogCoupons = command({
  name: 'catalog coupons',
  effect: 'reads',
  summary: 'List the published coupons, with the redemptions by the orders of a client of those that have a limit',
  example: '--client 2',
  options: { client: recordId },
  async run({ client }, call) {
    const table = openTable();
    await existingClient(client, table);
    const published = await withPublishedCatalog((catalog) => catalog.coupons());
    const redeemed = await countRedemptions(table, client);
    const coupons = published.map((coupon) => representCoupon(coupon, redeemed.get(coupon.id)));
    return { document: { client, coupons }, text: recordTable(coupons, call) };
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
