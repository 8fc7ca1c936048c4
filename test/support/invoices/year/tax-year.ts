import { globalWaitsUntil } from '../../../../shared/domain/invoices/global/period.ts';
import { buildGlobalInvoice } from '../../../../shared/domain/invoices/global/sales.ts';
import { getGlobalStanding } from '../../../../shared/domain/invoices/global/standing.ts';
import { formatFolio } from '../../../../shared/domain/order.ts';
import { toMonthInstants } from '../../../../shared/domain/working-day.ts';
import { Authority, type StampedCfdi } from './authority.ts';
import { LivingOrder, TIME_ZONE } from './living-order.ts';
import type { Plan } from './plans.ts';

const HOUR_MS = 60 * 60 * 1_000;
const MONTHS = [
  ...Array.from({ length: 12 }, (_, index) => `2026-${String(index + 1).padStart(2, '0')}`),
  ...['2027-01', '2027-02', '2027-03', '2027-04'],
];

/** A month that is over, with the global invoices that were issued for it. */
export type ClosedMonth = {
  readonly month: string;
  readonly until: Date;
  readonly globals: readonly { readonly stamped: StampedCfdi; readonly orderIds: readonly number[] }[];
};

/** Orders of a year, and the documents that were stamped for them. */
export class TaxYear {
  readonly authority = new Authority();
  readonly orders: readonly LivingOrder[];
  readonly globals: StampedCfdi[] = [];

  constructor(plans: readonly Plan[]) {
    this.orders = plans.map((plan, index) => new LivingOrder(plan, index + 1, this.authority));
  }

  /** Lives through the year and the months after it; `close` sees each month when its global invoice was issued. */
  live(close: (month: ClosedMonth) => void): void {
    for (const month of MONTHS) {
      const { until } = toMonthInstants(month, TIME_ZONE);
      const globals = [];
      for (const at of [new Date(until.getTime() + HOUR_MS), globalWaitsUntil(month, TIME_ZONE)]) {
        for (const living of this.orders) living.liveUntil(at);
        globals.push(...this.#issueGlobal(month, at));
      }
      close({ month, until, globals });
    }
  }

  #issueGlobal(month: string, now: Date): ClosedMonth['globals'] {
    const { from, until } = toMonthInstants(month, TIME_ZONE);
    const ready = this.orders.filter(({ order }) => {
      const { paymentDate } = order;
      const isOfMonth = paymentDate !== null && paymentDate >= from.toISOString() && paymentDate < until.toISOString();
      return isOfMonth && getGlobalStanding(order) === 'ready';
    });
    if (ready.length === 0) return [];
    const part = this.globals.length + 1;
    for (const living of ready) living.order = { ...living.order, global: { period: month, part } };
    const orders = ready.map(({ order }) => ({
      ...order,
      folio: formatFolio(order.id),
      paymentForm: order.paymentForm ?? order.paymentMethod.sat_payment_form,
    }));
    const content = buildGlobalInvoice({ period: month, zipcode: '06700', orders });
    const reference = { key: `global-${part}`, orderId: null, folio: `GLOBAL-${part}`, now };
    const stamped = this.authority.stamp(content, reference);
    this.globals.push(stamped);
    return [{ stamped, orderIds: ready.map(({ order }) => order.id) }];
  }
}
