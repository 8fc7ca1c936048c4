import type { OrderStatus } from '../order.ts';

const DISPENSED: readonly OrderStatus[] = ['in_process', 'ready', 'delayed', 'shipped', 'delivered'];

/** True if medicines of an order have been, or are being, dispensed. A cancelled order gave none away. */
export const isDispensed = (status: OrderStatus): boolean => DISPENSED.includes(status);

const RETENTION_YEARS = 1;

/**
 * Returns the last day (`YYYY-MM-DD`) on which a pharmacy has to keep a prescription that it filled on this local day: a year
 * later (agreement on the sale of antibiotics, DOF 27 May 2010). After 29 February that is 1 March.
 */
export function getPrescriptionRetentionEnd(dispensedOn: string): string {
  const day = new Date(`${dispensedOn}T00:00:00.000Z`);
  day.setUTCFullYear(day.getUTCFullYear() + RETENTION_YEARS);
  return day.toISOString().slice(0, 'YYYY-MM-DD'.length);
}
