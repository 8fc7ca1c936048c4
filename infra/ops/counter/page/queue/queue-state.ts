import { effect, signal } from '@preact/signals';
import { ORDER_STATUSES } from '../../../../../shared/domain/order.ts';
import type { QueueFilter, QueueOrder } from './queue-rows.ts';

// These outlive the view and a reload, so that the reader comes back to the queue as it was. They end with the tab.
const NAMES = { filter: 'queue-filter', order: 'queue-order', text: 'queue-text' };
const FILTERS: readonly QueueFilter[] = ['due', 'all', 'refund', ...ORDER_STATUSES];
const recall = (name: keyof typeof NAMES): string => sessionStorage.getItem(NAMES[name]) ?? '';

/** The filter that the reader has chosen. */
export const chosenFilter = signal(FILTERS.find((filter) => filter === recall('filter')));
export const selectedOrder = signal<number | undefined>(Number(recall('order')) || undefined);
export const searchedText = signal(recall('text'));

/** The orders that have come since the queue was opened, the newest last. */
export const arrivedOrders = signal<readonly QueueOrder[]>([]);
/** The search whose first order the reader wants to go to, once its orders are drawn. */
export const enteredText = signal<string | undefined>(undefined);

effect(() => {
  sessionStorage.setItem(NAMES.filter, chosenFilter.value ?? '');
  sessionStorage.setItem(NAMES.order, String(selectedOrder.value ?? ''));
  sessionStorage.setItem(NAMES.text, searchedText.value);
});
