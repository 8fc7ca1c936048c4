import { type Key, parseKind, parseNameKey, parseOrderId, toKey } from '../keys.ts';
import { parseOrder } from '../orders/order-item.ts';
import type { Item, Table } from '../table.ts';
import { scanClient } from './scan-client.ts';
import type { Survey } from './survey-client.ts';

/** An order, with the keys of the items that list it. */
export type SuspectOrder = { readonly clientId: number; readonly id: number; readonly found: readonly Key[] };

/** A patient, with the keys of the items that index their names, and the ids of their orders. */
export type SuspectPatient = SuspectOrder & { readonly orders: readonly number[] };

/** Finds what is stored of suspects, in a second pass over the table if there are any. */
export async function findSuspectItems(
  table: Table,
  clientId: number,
  { orderSuspects, patientSuspects }: Survey,
): Promise<{ orders: SuspectOrder[]; patients: SuspectPatient[] }> {
  const orders = new Map([...orderSuspects].map((id) => [id, { clientId, id, found: [] as Key[] }]));
  const patients = new Map(
    [...patientSuspects].map((id) => [id, { clientId, id, found: [] as Key[], orders: [] as number[] }]),
  );
  const take = (item: Item) => {
    const key = toKey(item);
    const kind = parseKind(key.pk);
    if (kind === 'USER' || kind === 'COUNT') return;
    if (kind === 'NAME') patients.get(parseNameKey(key.sk))?.found.push(key);
    else if (kind !== 'ORDER') orders.get(parseOrderId(key))?.found.push(key);
    else if (patients.size > 0) {
      const { id, patient } = parseOrder(item);
      patients.get(patient.id)?.orders.push(id);
    }
  };
  if (orders.size + patients.size > 0) await scanClient(table, clientId, take);
  return { orders: [...orders.values()], patients: [...patients.values()] };
}
