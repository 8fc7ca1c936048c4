import type { IvaRates } from '../domain/pricing.ts';
import { once } from './async.ts';
import { businessConfig, userLimitsConfig } from './config.ts';

/** The settings of the shop that its rules need. */
export type Business = { readonly timeZone: string; readonly cutoff: string; readonly ivaRates: IvaRates };

/** The settings are read once: the environment of a function does not change while it lives. */
export const business = /* @__PURE__ */ once((): Business => {
  const { BUSINESS_TIME_ZONE, CUTOFF_TIME, IVA_RATE, SHIPPING_IVA_RATE, BORDER_ZIPCODES } = businessConfig();
  const ivaRates = { generalMicros: IVA_RATE, shippingMicros: SHIPPING_IVA_RATE, borderZipcodes: BORDER_ZIPCODES };
  return { timeZone: BUSINESS_TIME_ZONE, cutoff: CUTOFF_TIME, ivaRates };
});

/** How much one patient or doctor may do; employees have no limits. */
export type UserLimits = { readonly ordersPerHour: number; readonly invoicesPerDay: number };

/** The limits of the settings. */
export const userLimits = /* @__PURE__ */ once((): UserLimits => {
  const { USER_ORDERS_PER_HOUR, USER_INVOICES_PER_DAY } = userLimitsConfig();
  return { ordersPerHour: USER_ORDERS_PER_HOUR, invoicesPerDay: USER_INVOICES_PER_DAY };
});
