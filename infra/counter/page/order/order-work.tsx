import { useEffect, useState } from 'preact/hooks';
import { type Query, runCommand, useCommand } from '../call.ts';
import { KeyButton } from '../ui/button.tsx';
import { announce } from '../ui/notice.tsx';
import { listChanges, type ShownOrder } from './order-texts.ts';

/** An order as the reader has looked at it, and what others have made of it since. */
export type OrderWork = {
  readonly order: ShownOrder;
  /** The order as somebody else has changed it since it was shown. */
  readonly newer: ShownOrder | undefined;
  show(order: ShownOrder): void;
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
  if (!order) return { ...query, document: undefined };
  const newer = latest && latest.version > order.version ? latest : undefined;
  const reload = async () => {
    const fresh = await runCommand('orders-show', { id });
    show(fresh);
    return fresh;
  };
  return { ...query, document: { order, newer, show, reload } };
}

/** Says that somebody else has changed the order since it was shown, without taking the focus. */
export function ChangedMeanwhile({ work: { order, newer, show } }: { readonly work: OrderWork }) {
  useEffect(() => {
    if (newer) announce([CHANGED, ...listChanges(newer, order.version).map(({ text }) => text)].join(' '));
  }, [newer?.version]);
  if (!newer) return null;
  return (
    <div class="notice info">
      <Changes order={newer} since={order.version} />
      <KeyButton shortcut="u" text="Mostrar la orden como está ahora" run={() => show(newer)} />
    </div>
  );
}

const CHANGED = 'La orden cambió entretanto:';

/** Lists what has become of an order since the version that the reader has seen, and by whom. */
export const Changes = ({ order, since }: { readonly order: ShownOrder; readonly since: number }) => (
  <>
    <p>{CHANGED}</p>
    <ul class="changes">
      {listChanges(order, since).map(({ key, text }) => (
        <li key={key}>{text}</li>
      ))}
    </ul>
  </>
);
