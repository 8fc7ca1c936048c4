import { type Micros, parseMicros } from '../domain/money.ts';
import { businessConfig } from './config.ts';
import { once } from './once.ts';

/** The settings of the shop that its rules need. */
export type Business = { readonly timeZone: string; readonly cutoff: string; readonly ivaRateMicros: Micros };

/** The settings are read once: the environment of a function does not change while it lives. */
export const business = /* @__PURE__ */ once((): Business => {
  const { BUSINESS_TIME_ZONE, CUTOFF_TIME, IVA_RATE } = businessConfig();
  const ivaRateMicros = parseMicros(IVA_RATE);
  if (ivaRateMicros === undefined) throw new Error('configuration: IVA_RATE is no decimal');
  return { timeZone: BUSINESS_TIME_ZONE, cutoff: CUTOFF_TIME, ivaRateMicros };
});
