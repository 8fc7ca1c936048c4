import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, inject } from 'vitest';
import { createTable, type TableKind } from '../../../infra/local/seed.ts';
import { measureDelays, parseDelays, widenDelays } from '../../../shared/order/lists/delivery-delays.ts';
import type { OrderSelection } from '../../../shared/order/lists/order-page.ts';
import type { Order } from '../../../shared/order/order.ts';
import { createOrderWrites, replaceOrderWrites } from '../../../shared/order/order-writes.ts';
import { nameItems, packName } from '../../../shared/people/name-index.ts';
import { type UserRecord, userItem } from '../../../shared/people/users.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import { forceVersion, toHappening } from './forced-order.ts';
import { syntheticOrder, unverifiedPrescription } from './synthetic-orders.ts';

/*
 * A table for the tests of the order store, which call its functions without a handler. Orders come from
 * `syntheticOrder`: approved and unpaid, for patient 10, placed by employee 5 on 2 January 2026 at 18:00 UTC.
 */

export let table: Table;
/** The id of a new client without orders, another one for each test. */
export let clientId = 0;

/** Creates a table for the tests of a file. */
export function useOrderTable(kind: TableKind = 'plain'): void {
  beforeAll(async () => {
    const name = `test-${randomUUID()}`;
    Object.assign(process.env, inject('serverEnvironment'), { TABLE_NAME: name });
    await createTable(name, kind);
    table = openTable();
  });
  beforeEach(() => {
    clientId += 1;
  });
}

export type Asked = Parameters<typeof syntheticOrder>[0];
export const newOrder = (asked: Asked): Order => syntheticOrder({ clientId, ...asked });

/** Stores the patient of an order, for changes that check that they are there. */
export async function storePatient({ clientId: client, patient }: Order): Promise<UserRecord> {
  const own = { clientId: client, passwordHash: null, defaultShipping: null, unconfirmed: [] };
  const user = { ...patient, ...own, version: 1, credentialsVersion: 0 };
  await table.putAll([userItem(user)]);
  return user;
}

export async function placed(asked: Asked): Promise<Order> {
  const order = newOrder(asked);
  await table.transact(createOrderWrites(order));
  return order;
}

/** Places an order together with what lists need to find it by its patient's name and its dates. */
export async function listed(asked: Asked): Promise<Order> {
  const order = newOrder(asked);
  await table.putAll(nameItems({ clientId: order.clientId, id: order.patient.id, name: packName(order.patient) }));
  await widenDelays(table, order.clientId, parseDelays(undefined), measureDelays(order));
  return placed(asked);
}

export async function changed(before: Order, changes: Partial<Order>): Promise<Order> {
  const after = forceVersion(before, changes);
  const act = { by: 'system', now: new Date() } as const;
  await table.transact(replaceOrderWrites(before, after, act, toHappening(before, after)));
  return after;
}

export const withDocument = (order: Order, ...documents: string[]): Order => ({
  ...order,
  prescriptions: documents.map((documentKey, index) => unverifiedPrescription(index + 1, documentKey)),
});

/** Returns a table that runs `disturb` before each call of one method. */
export function disturbed(
  method: 'all' | 'getAll' | 'get' | 'snapshot' | 'tryTransact',
  disturb: () => Promise<unknown>,
  busy: Table = openTable(),
): Table {
  const quiet = busy[method].bind(busy) as (...asked: unknown[]) => Promise<never>;
  return Object.assign(busy, {
    [method]: async (...asked: unknown[]) => {
      await disturb();
      return quiet(...asked);
    },
  });
}

/** The requests to a table: the pages of queries with their items, and the batches with their keys. */
type Reads = { pages: number; items: number; batches: number; keys: number };

/** Returns a table and what it has read so far. */
export function withReads(): { readonly table: Table; readonly reads: Reads } {
  const told = openTable();
  const reads = { pages: 0, items: 0, batches: 0, keys: 0 };
  const [pages, getAll] = [told.pages.bind(told), told.getAll.bind(told)];
  const counting: Pick<Table, 'pages' | 'getAll'> = {
    async *pages(query) {
      for await (const page of pages(query)) {
        reads.pages += 1;
        reads.items += page.length;
        yield page;
      }
    },
    getAll(keys) {
      if (keys.length > 0) reads.batches += 1;
      reads.keys += keys.length;
      return getAll(keys);
    },
  };
  return { table: Object.assign(told, counting), reads };
}

export const idsIn = (orders: readonly { readonly id: number }[]) => orders.map(({ id }) => id);

/** Returns the selection of all orders of the client, newest first, with some fields replaced. */
export const selection = (asked: Partial<OrderSelection>): OrderSelection => ({
  ...{ clientId, viewer: 'client' as const, nameWords: [], dateBounds: [], offset: 0, limit: 100 },
  ordering: [{ field: 'createdAt', isDescending: true }],
  ...asked,
});
