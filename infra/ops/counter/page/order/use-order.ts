import { useState } from 'preact/hooks';
import { type DocumentOf, runCommand } from '../call.ts';
import { useCommand } from '../ui/use-command.ts';

export type ShownOrder = DocumentOf<'orders-show'>;
export type OrderEvent = ShownOrder['history'][number];

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
export function useOrder(id: number): { readonly work: OrderWork | undefined; readonly error: unknown } {
  const { document: latest, error } = useCommand('orders-show', { id }, { everyMs: LOOK_MS });
  const [chosen, show] = useState<ShownOrder>();
  if (chosen === undefined && latest) show(latest);
  const order = chosen ?? latest;
  if (!order) return { work: undefined, error };
  const newer = latest && latest.version > order.version ? latest : undefined;
  const reload = async () => {
    const fresh = await runCommand('orders-show', { id });
    show(fresh);
    return fresh;
  };
  return { work: { order, newer, show, reload }, error };
}

/** Returns what has happened to an order since a version of it. */
export const listEventsSince = ({ history }: ShownOrder, version: number): readonly OrderEvent[] =>
  history.filter((event) => event.version > version);
