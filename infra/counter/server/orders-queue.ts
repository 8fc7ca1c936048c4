import * as z from 'zod';
import { listOpenOrders, listRefundsDue, OPEN_STATUSES } from '../../../shared/order/lists/queue.ts';
import type { OrderStatus } from '../../../shared/order/rules/status.ts';
import { perContainer } from '../../../shared/runtime/async.ts';
import { command } from '../../ops/command.ts';
import type { Context } from '../../ops/context.ts';
import { recordId } from '../../ops/input.ts';
import { type ListedOrder, listOrders } from '../../ops/orders/list.ts';

const MOST_OPEN = 5_000;
const MOST_REFUNDS = 200;
const PAGE_SIZE = 100;

const FILLING: readonly OrderStatus[] = ['approved', 'in_process', 'shortage', 'delayed'];

type Filter = (order: ListedOrder) => boolean;

/** The parts of the day's work; each open order is in one of those from `verify` on. */
const TABS = {
  due: ({ is_due }) => is_due,
  verify: ({ order_status: status }) => status === 'quoted' || status === 'pending_approval',
  fill: ({ order_status: status }) => FILLING.includes(status),
  ship: ({ order_status: status, store }) => status === 'ready' && store === null,
  deliver: ({ order_status: status, store }) => status === 'shipped' || (status === 'ready' && store !== null),
  refund: ({ waits_for }) => waits_for.includes('refund'),
  all: () => true,
} satisfies Readonly<Record<string, Filter>>;
export type QueueTab = keyof typeof TABS;
const TAB_NAMES = Object.keys(TABS) as QueueTab[];

type Choice = { readonly tab?: QueueTab | undefined; readonly store?: number | undefined; readonly page: number };

export const ordersQueue = command({
  name: 'orders queue',
  summary: 'A page of the orders that wait for somebody, what is due first at its head',
  input: z.object({ tab: z.enum(TAB_NAMES).optional(), store: recordId.optional(), page: recordId.prefault('1') }),
  async run(choice, context) {
    const { queue, hasMore } = await queueReading().read(() => readQueue(context));
    return { document: { ...pageQueue(queue, choice), has_more: hasMore } };
  },
});

async function readQueue(context: Context) {
  const [open, refunds] = await Promise.all([
    listOpenOrders(context.table, { statuses: OPEN_STATUSES, limit: MOST_OPEN }),
    listRefundsDue(context.table, { limit: MOST_REFUNDS }),
  ]);
  const queue = joinQueue(listOrders(open, context), listOrders(refunds, context));
  return { queue, hasMore: open.hasMore || refunds.hasMore };
}

const queueReading = perContainer(() => keepReading<Awaited<ReturnType<typeof readQueue>>>());

/** Has the next poll read the queue again, since an act at this counter has changed it. */
export const forgetQueue = (): void => queueReading().forget();

// A reading of 5,000 open orders takes up to a second, and each page asks every 5 s.
const TIMES_KEPT = 10;

/** Shares a reading among those who ask meanwhile, and keeps it so many times as long as it took: a quick one hardly at all. */
export function keepReading<Value>(clock = () => performance.now()) {
  let latest: { readonly value: Promise<Value>; until: number } | undefined;
  return {
    read(make: () => Promise<Value>): Promise<Value> {
      const startedAt = clock();
      if (latest && startedAt < latest.until) return latest.value;
      const reading = { value: make(), until: Number.POSITIVE_INFINITY };
      reading.value.then(
        () => (reading.until = clock() + TIMES_KEPT * (clock() - startedAt)),
        () => (reading.until = startedAt),
      );
      latest = reading;
      return reading.value;
    },
    /** Drops the reading, also one under way, which may have begun before a change. */
    forget() {
      latest = undefined;
    },
  };
}

/** Merges open orders and refunds by due time; an order that is in both, as it has just moved, appears once. */
export function joinQueue(open: readonly ListedOrder[], refunds: readonly ListedOrder[]): ListedOrder[] {
  const byId = new Map([...open, ...refunds].map((order) => [order.id, order]));
  return [...byId.values()].sort((one, other) => compare(one.due_at, other.due_at) || one.id - other.id);
}

const compare = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);

/**
 * Returns a page of a tab of a store, with the counts of its tabs; the last page for a later one. Without a tab it is what is due
 * now, or all if nothing is. `stores` and `newest` are of the whole queue.
 */
export function pageQueue(queue: readonly ListedOrder[], { tab: chosen, store, page: wanted }: Choice) {
  const ofStore = store === undefined ? queue : queue.filter((order) => order.store?.id === store);
  const counts = Object.fromEntries(TAB_NAMES.map((name) => [name, ofStore.filter(TABS[name]).length]));
  const tab = chosen ?? (ofStore.some(TABS.due) ? 'due' : 'all');
  const orders = ofStore.filter(TABS[tab]);
  const pages = Math.max(Math.ceil(orders.length / PAGE_SIZE), 1);
  const page = Math.min(wanted, pages);
  return {
    ...{ tab, page, pages },
    counts: counts as Readonly<Record<QueueTab, number>>,
    orders: orders.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE),
    stores: listStores(queue),
    newest: queue
      .toSorted((one, other) => compare(other.created_at, one.created_at))
      .slice(0, PAGE_SIZE)
      .map(({ id, folio, created_at }) => ({ id, folio, created_at })),
  };
}

function listStores(orders: readonly ListedOrder[]): { readonly id: number; readonly name: string }[] {
  const byId = new Map(orders.flatMap(({ store }) => (store ? [[store.id, store]] : [])));
  return [...byId.values()].sort((one, other) => compare(one.name, other.name));
}
