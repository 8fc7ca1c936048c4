import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, inject } from 'vitest';
import { createTable } from '../../../infra/local/engines/table.ts';
import type { OrderSelection } from '../../../shared/store/order-lists/selection.ts';
import type { Order } from '../../../shared/store/orders/order.ts';
import { changeOrderWrites, createOrderWrites } from '../../../shared/store/orders/order-writes.ts';
import { nextVersion } from '../../../shared/store/orders/orders.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import { syntheticOrder } from './synthetic-orders.ts';

/*
 * A table for the tests of the order store, which call its functions without a handler. Orders come from
 * `syntheticOrder`: approved and unpaid, for patient 10, placed by employee 5 on 2 January 2026 at 18:00 UTC.
 */

export let table: Table;
/** The id of a new client without orders, another one for each test. */
export let clientId = 0;

/** Creates a table for the tests of a file. */
export function useOrderTable(): void {
  beforeAll(async () => {
    const name = `test-${randomUUID()}`;
    Object.assign(process.env, inject('serverEnvironment'), { TABLE_NAME: name });
    await createTable(name);
    table = openTable();
  });
  beforeEach(() => {
    clientId += 1;
  });
}

export type Asked = Parameters<typeof syntheticOrder>[0];
export const newOrder = (asked: Asked): Order => syntheticOrder({ clientId, ...asked });

export async function placed(asked: Asked): Promise<Order> {
  const order = newOrder(asked);
  await table.transact(createOrderWrites(order));
  return order;
}

export async function changed(before: Order, changes: Partial<Order>): Promise<Order> {
  const after = nextVersion(before, changes);
  await table.transact(changeOrderWrites(before, after));
  return after;
}

export const withDocument = (order: Order, ...documents: string[]): Order => ({
  ...order,
  prescriptions: documents.map((documentKey, index) => ({
    id: index + 1,
    issueDate: '2026-01-01',
    expiringDate: null,
    documentKey,
    documentName: 'receta.pdf',
    documentType: 'application/pdf',
    isVerified: false,
    createdAt: '2026-01-02T18:00:00.000Z',
    updatedAt: '2026-01-02T18:00:00.000Z',
    updatedBy: null,
  })),
});

/** Returns a table that runs `disturb` before each call of one method. */
export function disturbed(
  method: 'all' | 'getAll' | 'get' | 'snapshot' | 'tryTransact',
  disturb: () => Promise<unknown>,
): Table {
  const busy = openTable();
  const quiet = busy[method].bind(busy) as (...asked: unknown[]) => Promise<never>;
  return Object.assign(busy, {
    [method]: async (...asked: unknown[]) => {
      await disturb();
      return quiet(...asked);
    },
  });
}

/** Returns a table whose query pages have at most this many items, as if DynamoDB's limit of 1 MB had ended them. */
export function withShortPages(items: number): Table {
  const short = openTable();
  const pages = short.pages.bind(short);
  return Object.assign(short, {
    pages: (query: Parameters<Table['pages']>[0]) =>
      pages({ ...query, pageSize: Math.min(items, query.pageSize ?? items) }),
  });
}

/** Returns a table and a function that returns the number of items that its queries have read. */
export function withReads(): { readonly table: Table; readonly read: () => number } {
  const countingTable = openTable();
  const pages = countingTable.pages.bind(countingTable);
  let read = 0;
  const counted: Table['pages'] = async function* (query) {
    for await (const page of pages(query)) {
      read += page.length;
      yield page;
    }
  };
  return { table: Object.assign(countingTable, { pages: counted }), read: () => read };
}

export const idsIn = (orders: readonly { readonly id: number }[]) => orders.map(({ id }) => id);

export const HISTORY = 100_000;

/** Returns the selection of all orders of a client, newest first, with some fields replaced. */
export function selection(asked: Partial<OrderSelection>): OrderSelection {
  return {
    clientId: HISTORY,
    viewer: 'client',
    patientId: undefined,
    orderStatuses: undefined,
    paymentStatuses: undefined,
    nameWords: [],
    dateBounds: [],
    ordering: [{ field: 'createdAt', isDescending: true }],
    offset: 0,
    limit: 100,
    ...asked,
  };
}
