import { WAIT_TEXTS } from '../queue/wait-texts.ts';
import { translate } from '../text.ts';
import { quantityText } from './parts/prescriptions.tsx';
import type { ShownOrder } from './use-order.ts';

/** Returns what an order waits for in the chosen language, with the products that no prescription covers. */
export const listWaits = (order: ShownOrder): string[] => order.waits_for.map((wait) => waitText(order, wait));

function waitText(order: ShownOrder, wait: ShownOrder['waits_for'][number]): string {
  const isOfPrescription = wait === 'prescription' || wait === 'verification';
  const { uncovered } = order.next_actions;
  if (!isOfPrescription || uncovered.length === 0) return translate(WAIT_TEXTS[wait]);
  return `${translate(WAIT_TEXTS[wait])} (${uncovered.map((each) => quantityText(each, order)).join(', ')})`;
}
