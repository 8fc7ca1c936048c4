import { useEffect, useState } from 'preact/hooks';
import { announce, KeyButton, Notice } from '../ui/controls.tsx';
import { type Query, runCommand, useQuery } from '../ui/server.ts';
import { listChanges, type ShownOrder } from './texts.ts';

export type OrderWork = {
  readonly order: ShownOrder;
  readonly newer: ShownOrder | undefined;
  show(order: ShownOrder): void;
  reload(): Promise<ShownOrder>;
};

const REFRESH_MS = 5_000;

/** Reads an order, and polls for changes by others, which are shown only when the reader asks. */
export function useOrder(id: number): Query<OrderWork> {
  const query = useQuery('orders-show', { id }, { everyMs: REFRESH_MS });
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

export function ChangedMeanwhile({ work: { order, newer, show } }: { readonly work: OrderWork }) {
  useEffect(() => {
    if (newer) announce([CHANGED, ...listChanges(newer, order.version)].join(' '));
  }, [newer?.version]);
  if (!newer) return null;
  return (
    <Notice tone="info">
      <Changes order={newer} since={order.version} />
      <KeyButton shortcut="u" text="Mostrar la orden como está ahora" run={() => show(newer)} />
    </Notice>
  );
}

const CHANGED = 'La orden cambió entretanto:';

export const Changes = ({ order, since }: { readonly order: ShownOrder; readonly since: number }) => (
  <>
    <p>{CHANGED}</p>
    <ul>
      {listChanges(order, since).map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  </>
);
