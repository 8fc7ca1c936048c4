import { useState } from 'preact/hooks';
import { type Query, runCommand, useCommand } from '../call.ts';
import type { ShownOrder } from './order-texts.ts';

/** An order as the reader has looked at it, and what others have made of it since. */
export type OrderWork = {
  readonly order: ShownOrder;
  /** The order as somebody else has changed it since it was shown. */
  readonly newer: ShownOrder | undefined;
  /** Shows this version of the order. */
  show(order: ShownOrder): void;
  /** Reads the order anew, shows it, and returns it. */
  reload(): Promise<ShownOrder>;
};

// One read of one order, while the tab is visible.
const LOOK_MS = 5_000;

/** Reads an order, and looks every few seconds whether somebody has changed it, which is shown only when the reader asks. */
export function useOrder(id: number): Query<OrderWork> {
  const query = useCommand('orders-show', { id }, { everyMs: LOOK_MS });
  const latest = query.document;
  const [chosen, show] = useState<ShownOrder>();
  if (chosen === undefined && latest) show(latest);
  const order = chosen ?? latest;
  if (!order) return { ...query, document: undefined, former: undefined };
  const newer = latest && latest.version > order.version ? latest : undefined;
  const reload = async () => {
    const fresh = await runCommand('orders-show', { id });
    show(fresh);
    return fresh;
  };
  return { ...query, document: { order, newer, show, reload }, former: undefined };
}
