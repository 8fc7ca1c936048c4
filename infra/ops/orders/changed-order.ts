import type { Order } from '../../../shared/store/orders/order.ts';
import type { Call } from '../command.ts';
import { recordId } from '../input.ts';
import { showOrder } from './shown-order.ts';

export const orderId = recordId.describe('the id of an order');

export const version = recordId.meta({ title: 'number' }).optional();

/** The result of a command that has changed an order. The links of the document are signed, so that it is made only if it is printed. */
export const changed = async (order: Order, sentence: string, { isJson }: Call) => ({
  document: isJson ? await showOrder(order) : null,
  text: `${sentence}\n`,
});
