import { setTimeout as pause } from 'node:timers/promises';
import { sideBySide } from '../../runtime/async.ts';
import type { Viewer } from '../../store/keys.ts';
import { countOrders } from '../../store/order-lists/counters.ts';
import type { Findings, Purpose } from '../../store/order-recount/differences.ts';
import {
  findSuspectItems,
  type SuspectOrder,
  type SuspectPatient,
} from '../../store/order-recount/find-suspect-items.ts';
import { type CounterDifference, type CounterName, recountView } from '../../store/order-recount/recount-counters.ts';
import { type DelayDifference, recountDelays } from '../../store/order-recount/recount-delays.ts';
import { type ListDifference, recountLists } from '../../store/order-recount/recount-lists.ts';
import { type NameDifference, recountNames } from '../../store/order-recount/recount-names.ts';
import {
  type RedemptionDifference,
  readCouponCounters,
  recountRedemptions,
} from '../../store/order-recount/recount-redemptions.ts';
import { type Survey, surveyClient } from '../../store/order-recount/survey-client.ts';
import { getOrders } from '../../store/orders/orders.ts';
import { listViewers } from '../../store/orders/viewers.ts';
import type { Table } from '../../store/table.ts';

/** The differences between the orders of a client and what lists, counts and finds them. */
export type Recount = {
  readonly orders: number;
  /** The client's view and one for each patient and doctor who has orders. */
  readonly views: number;
  /** `unsettled` are the ids of orders that were changed at every try. */
  readonly lists: Findings<ListDifference, number>;
  readonly counters: Findings<CounterDifference, CounterName>;
  readonly names: Findings<NameDifference>;
  readonly delays: Findings<DelayDifference>;
  readonly redemptions: Findings<RedemptionDifference, string>;
};

type Asked = {
  readonly clientId: number;
  readonly purpose: Purpose;
  /** Receives how much is done, from 0 to 1. */
  readonly onProgress?: (done: number) => void;
  /** The time after which a request that was under way has stored its order, or will never do so. */
  readonly longestRequestMs?: number;
};

// A function is ended after 10 s.
const LONGEST_REQUEST_MS = 10_000;

/**
 * Proves that the list entries, counters, names, delivery delays and redeemed coupons of a client are what its orders say, or repairs them.
 * Nobody has to stop placing orders: one pass over the table finds suspects, and each of them is then looked at by itself,
 * so that what is reported was wrong while nothing of it was being written. It costs a read unit for each 4 KB of the
 * table, twice if there are suspects, and some queries for each view.
 */
export async function recountOrders(asked: Asked, table: Table): Promise<Recount> {
  const { clientId, purpose, onProgress = () => undefined, longestRequestMs = LONGEST_REQUEST_MS } = asked;
  const guessed = Math.max(1, await countOrders(table, { clientId, viewer: 'client' }));
  const couponsBefore = await readCouponCounters(table, clientId);
  const survey = await surveyClient(table, clientId, (orders) => onProgress(Math.min(1, orders / guessed) / 2));
  const counted = { clientId, before: couponsBefore, orders: survey.redemptions };
  const redemptions = await recountRedemptions(table, counted, purpose);
  const suspects = await findSuspectItems(table, clientId, survey);
  const settledAt = performance.now() + longestRequestMs;
  const lists = await recountAllLists(table, suspects.orders, purpose);
  const counters = await recountAllViews(table, { ...asked, survey, lists }, (done) => onProgress((1 + done) / 2));
  const delays = await recountDelays(table, { clientId, delays: survey.delays }, purpose);
  const names = await recountAllNames(table, suspects.patients, { purpose, settledAt });
  return {
    orders: survey.orders,
    views: survey.views.size,
    lists,
    counters,
    names: { differences: names, unsettled: [] },
    delays: { differences: delays, unsettled: [] },
    redemptions,
  };
}

// A client with many patients has mostly short views, each of which costs some reads in a row.
const AT_ONCE = 8;

async function recountAllLists(
  table: Table,
  suspects: readonly SuspectOrder[],
  purpose: Purpose,
): Promise<Recount['lists']> {
  const settled = await sideBySide(suspects, { atOnce: AT_ONCE }, async (suspect) => ({
    id: suspect.id,
    differences: await recountLists(table, suspect, purpose),
  }));
  return {
    differences: settled.flatMap(({ differences = [] }) => differences),
    unsettled: settled.filter(({ differences }) => !differences).map(({ id }) => id),
  };
}

type Views = Pick<Asked, 'clientId' | 'purpose'> & Pick<Recount, 'lists'> & { readonly survey: Survey };

async function recountAllViews(
  table: Table,
  { clientId, purpose, survey, lists }: Views,
  onProgress: (done: number) => void,
): Promise<Recount['counters']> {
  const suspects = new Set([...lists.differences.map(({ orderId }) => orderId), ...lists.unsettled]);
  const inViews = await groupByViewer(table, clientId, [...suspects]);
  const recounted = await sideBySide([...survey.views], { atOnce: AT_ONCE, onProgress }, ([viewer, pairs]) =>
    recountView(table, { clientId, viewer }, { purpose, pairs, suspects, suspectsInView: inViews.get(viewer) ?? [] }),
  );
  return {
    differences: recounted.flatMap(({ differences }) => differences),
    unsettled: recounted.flatMap(({ unsettled }) => unsettled),
  };
}

/** Returns the ids of orders by their viewers, who never change. */
async function groupByViewer(table: Table, clientId: number, ids: readonly number[]): Promise<Map<Viewer, number[]>> {
  const orders = await getOrders(table, clientId, ids);
  const places = orders.flatMap((order) => listViewers(order).map((viewer) => ({ viewer, id: order.id })));
  const grouped = Map.groupBy(places, ({ viewer }) => viewer);
  return new Map([...grouped].map(([viewer, own]) => [viewer, own.map(({ id }) => id)]));
}

/** Waits until `settledAt` if a name looks stray, since an order that has it may have been under way. */
async function recountAllNames(
  table: Table,
  suspects: readonly SuspectPatient[],
  { purpose, settledAt }: Pick<Asked, 'purpose'> & { readonly settledAt: number },
): Promise<NameDifference[]> {
  const seen = await sideBySide(suspects, { atOnce: AT_ONCE }, async (suspect) => ({
    suspect,
    differences: await recountNames(table, suspect, 'proof'),
  }));
  const different = seen.filter(({ differences }) => differences.length > 0);
  const hasStray = different.some(({ differences }) => differences.some(({ problem }) => problem === 'stray'));
  if (hasStray) await pause(Math.max(0, settledAt - performance.now()));
  return (
    await sideBySide(different, { atOnce: AT_ONCE }, ({ suspect }) => recountNames(table, suspect, purpose))
  ).flat();
}
