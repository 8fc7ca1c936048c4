import { signal } from '@preact/signals';
import type { QueueFilter } from './queue-rows.ts';

// These outlive the view, so that the reader comes back from an order to the queue as it was.

/** The chosen filter; undefined until the first queue tells whether anything is due. */
export const chosenFilter = signal<QueueFilter | undefined>(undefined);
export const selectedOrder = signal<number | undefined>(undefined);
export const searchedText = signal('');
