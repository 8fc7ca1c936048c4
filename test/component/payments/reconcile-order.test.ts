import { beforeAll, expect, it } from 'vitest';
import { table } from '../../../shared/deps.ts';
import { watchedPayments } from '../../../shared/order/rows/payment-rows.ts';
import { type PaymentProvider, PaymentsUnavailable } from '../../../shared/payments/provider.ts';
import { reconcilePayments } from '../../../shared/payments/reconcile-payments.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { useServer } from '../../support/servers/test-server.ts';

const CARD = 3;
const START = Date.parse('2026-11-23T18:00:00.000Z');
const MINUTE_MS = 60_000;

const server = useServer();
const ids: number[] = [];
beforeAll(async () => {
  const token = (await server.loginDemoUsers()).employee;
  for (let order = 0; order < 15; order++) {
    setClock(new Date(START + order * MINUTE_MS));
    const body = orderBody(`abierta-${order}@example.mx`, { payment_method: CARD });
    ids.push((await server.request('POST', '/api/orders/resources/', { token, body })).body.id);
  }
  setClock();
});

/** Returns the orders that a run of the job asks the provider about, in the order in which it does. */
async function readOrders(minutes: number): Promise<number[]> {
  const read: number[] = [];
  const note = async (id: string): Promise<never> => {
    read.push(Number(id.split('-')[1]));
    throw new PaymentsUnavailable('not now');
  };
  const provider = { look: note, cancel: note, withdraw: note } as unknown as PaymentProvider;
  const now = new Date(START + minutes * MINUTE_MS);
  await reconcilePayments({ by: 'system', now }, { table: table(), payments: () => provider });
  return read;
}

it('reads the cards of the last hour at every run, the newest first, and older ones once an hour', async () => {
  const rows = (await Array.fromAsync(watchedPayments(table()))).flat();
  expect(rows.map(({ orderId }) => orderId)).toEqual(ids.toReversed());
  expect((await readOrders(20)).toSorted((a, b) => a - b)).toEqual(ids);
  const later: number[] = [];
  for (let run = 0; run < 12; run++) later.push(...(await readOrders(120 + 5 * run)));
  expect(later.toSorted((a, b) => a - b)).toEqual(ids);
});
