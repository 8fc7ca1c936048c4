import type { Viewer } from '../../store/keys.ts';
import { countOrders } from '../../store/order-lists/order-counters.ts';
import { checkLists, type ListDifference, toPlace } from '../../store/order-lists/order-list-check.ts';
import { type Recounted, type Recounting, recountView } from '../../store/order-lists/order-recount.ts';
import type { Order } from '../../store/orders/order.ts';
import { listViewers } from '../../store/orders/orders.ts';
import type { Table } from '../../store/table.ts';

/** The differences between a client's orders and its lists and counters. */
type Findings = Recounted & { readonly faults: readonly ListDifference[] };

export type Recount = Findings & {
  readonly orders: number;
  /** The client's view and one for each patient and doctor who has orders. */
  readonly views: number;
};

type Asked = Pick<Recounting, 'purpose'> & {
  readonly clientId: number;
  /** Receives how much is done, from 0 to 1. */
  readonly onProgress: (done: number) => void;
};

/** The list positions of each viewer's orders. */
type Members = Map<Viewer, string[]>;

/**
 * Checks or repairs the counters of a client. First each row and entry is compared with what its order would write,
 * then the counters with the entries. Orders are found by the client's own view, which holds all of them; those whose
 * entries are wrong are counted by themselves. Lists are not repaired.
 */
export async function recountOrders({ clientId, purpose, onProgress }: Asked, table: Table): Promise<Recount> {
  const members: Members = new Map();
  const guessed = Math.max(1, await countOrders(table, clientId, 'client'));
  let orders = 0;
  const ofClient = await recountOne(table, { clientId, viewer: 'client', places: [], purpose }, (found) => {
    for (const order of found) addMember(members, order);
    orders += found.length;
    onProgress(Math.min(1, orders / guessed) / 2);
  });
  const others = await sideBySide(
    [...members],
    ([viewer, places]) => recountOne(table, { clientId, viewer, places, purpose }),
    (done) => onProgress((1 + done) / 2),
  );
  const all = [ofClient, ...others];
  return {
    orders,
    views: all.length,
    faults: all.flatMap(({ faults }) => faults),
    differences: all.flatMap(({ differences }) => differences),
    unsettled: all.flatMap(({ unsettled }) => unsettled),
  };
}

type One = Pick<Asked, 'clientId' | 'purpose'> & { readonly viewer: Viewer; readonly places: readonly string[] };

async function recountOne(
  table: Table,
  { clientId, viewer, places, purpose }: One,
  onOrders: (orders: readonly Order[]) => void = () => undefined,
): Promise<Findings> {
  const view = { clientId, viewer };
  const faults: ListDifference[] = [];
  for await (const part of checkLists(table, view, places)) {
    faults.push(...part.faults);
    onOrders(part.orders);
  }
  const suspects = new Set(faults.map(({ orderId }) => orderId));
  return { faults, ...(await recountView(table, view, { purpose, suspects })) };
}

function addMember(members: Members, order: Order): void {
  for (const viewer of listViewers(order)) {
    if (viewer === 'client') continue;
    const places = members.get(viewer) ?? [];
    places.push(toPlace(order));
    members.set(viewer, places);
  }
}

// A client with many patients has mostly short views, each of which costs some reads in a row.
const AT_ONCE = 8;

async function sideBySide<Each, Result>(
  all: readonly Each[],
  work: (each: Each) => Promise<Result>,
  onProgress: (done: number) => void,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = all.values();
  const worker = async () => {
    for (const each of left) {
      results.push(await work(each));
      onProgress(results.length / all.length);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}
