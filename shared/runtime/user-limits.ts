import { once } from './async.ts';
import { userLimitsConfig } from './config.ts';

/** How much one patient or doctor may do; employees have no limits. */
export type UserLimits = { readonly ordersPerHour: number; readonly invoicesPerDay: number };

/** The limits of the settings. */
export const userLimits = /* @__PURE__ */ once((): UserLimits => {
  const { USER_ORDERS_PER_HOUR, USER_INVOICES_PER_DAY } = userLimitsConfig();
  return { ordersPerHour: USER_ORDERS_PER_HOUR, invoicesPerDay: USER_INVOICES_PER_DAY };
});
