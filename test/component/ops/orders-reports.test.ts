import { mkdtempSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';
import { ordersFigures } from '../../../infra/counter/server/orders-figures.ts';
import { createClient } from '../../../shared/access/clients.ts';
import { ids } from '../../../shared/deps.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { openTable } from '../../../shared/store/table.ts';
import { operate } from '../../support/operators/operator.ts';
import { placed, storePatient, useOrderTable } from '../../support/orders/order-table.ts';

useOrderTable();

/** Does an operator's command at a time. */
async function at(time: string, ...argv: readonly string[]): Promise<void> {
  setClock(new Date(time));
  const { code, err } = await operate('pipe', ...argv);
  setClock();
  expect([code, err]).toEqual([0, '']);
}

/** Runs the command of the counter. */
async function figures(input: Parameters<typeof ordersFigures.runNamed>[0]) {
  const silent = { write: () => true };
  const streams = { stdout: silent, stderr: silent, stdin: Readable.from([]) };
  const call = { ...streams, isTerminal: false, isJson: true, isLocal: false, operator: async () => 'ana' };
  return (await ordersFigures.runNamed(input, call)).document;
}

let first: number;
let second: number;

beforeAll(async () => {
  const terms = { origin: 'demo', paymentMethods: [1], carrierName: null };
  const register = async (name: string) => (await createClient(openTable(), ids(), { ...terms, name }, new Date())).id;
  [first, second] = [await register('Clínica Norte'), await register('Clínica Sur')];
  const orderStatus = 'pending_approval';
  const waiting = [
    { id: 1, clientId: first, totalCents: 10_000, orderStatus, createdAt: '2026-11-20T18:00:00.000Z' },
    { id: 5, clientId: second, totalCents: 30_000, orderStatus, createdAt: '2026-11-21T17:00:00.000Z' },
  ] as const;
  for (const order of waiting) await storePatient(await placed(order));
  // A day of Mexico City begins at 06:00 UTC.
  await placed({ id: 2, clientId: first, totalCents: 20_000, createdAt: '2026-11-21T05:59:59.999Z' });
  await placed({ id: 3, clientId: first, totalCents: 5_050, createdAt: '2026-11-21T06:00:00.000Z' });
  await placed({ id: 4, clientId: first, totalCents: 7, createdAt: '2026-11-20T05:59:59.999Z' });
  await placed({ id: 6, clientId: second, totalCents: 7, createdAt: '2026-11-23T06:00:00.000Z' });
  await at('2026-11-20T18:30:00.000Z', 'orders', 'move', '1', '--to', 'approved');
  await at('2026-11-20T19:00:00.000Z', 'orders', 'pay', '1', '--status', 'paid');
  for (const to of ['in_process', 'ready']) await at('2026-11-20T20:00:00.000Z', 'orders', 'move', '1', '--to', to);
  await at('2026-11-21T18:00:00.000Z', 'orders', 'move', '1', '--to', 'shipped');
  await at('2026-11-21T06:10:00.000Z', 'orders', 'pay', '3', '--status', 'paid');
  await at('2026-11-21T06:20:00.000Z', 'orders', 'move', '3', '--to', 'cancelled');
  await at('2026-11-21T06:30:00.000Z', 'orders', 'refund', '3', '--amount', '50.50', '--form', '04');
  for (const to of ['quoted', 'approved']) await at('2026-11-21T18:30:00.000Z', 'orders', 'move', '5', '--to', to);
});

const DAYS = { from: '2026-11-20', to: '2026-11-22' };

describe('orders figures', () => {
  it('adds up the orders of all clients by day of the shop, of each client and of the whole time', async () => {
    const { periods, total, clients, ...asked } = await figures(DAYS);
    expect(asked).toEqual(DAYS);
    // The table has the figures of the others.
    expect(periods[1]).toEqual({
      start: '2026-11-21',
      orders: 2,
      turnover_cents: 30_000,
      cancelled_cents: 5_050,
      order_status: { approved: 1, cancelled: 1 },
      payment_status: { unpaid: 1, paid: 1 },
    });
    expect(clients).toEqual([
      { id: first, name: 'Clínica Norte', orders: 3, turnover_cents: 30_000 },
      { id: second, name: 'Clínica Sur', orders: 1, turnover_cents: 30_000 },
    ]);
    const counted = (times: { from: number; orders: number }[]) => times.filter(({ orders }) => orders > 0);
    const { approval, shipment } = total;
    expect(approval).toMatchObject({ median: 30, p90: 90 });
    expect(counted(approval.counts)).toEqual([
      { from: 30, until: 60, orders: 1 },
      { from: 60, until: 120, orders: 1 },
    ]);
    expect(counted(shipment.counts)).toEqual([{ from: 1_440, until: 2_880, orders: 1 }]);
  });

  it('takes 92 days in their order, and a client that there is', async () => {
    expect((await figures({ from: '2026-08-01', to: '2026-10-31' })).periods).toHaveLength(92);
    const tooMany = '--to: From --from on there may be 92 days, not 93.';
    await expect(figures({ from: '2026-08-01', to: '2026-11-01' })).rejects.toThrow(tooMany);
    await expect(figures({ from: '2026-11-20', to: '2026-11-19' })).rejects.toThrow('must not be before the first');
    await expect(figures({ ...DAYS, client: 77 })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('orders export', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orders-export-'));
  const file = join(folder, 'pedidos.csv');

  const write = (from: string, to: string, ...more: readonly string[]) =>
    operate('pipe', 'orders', 'export', '--from', from, '--to', to, '--out', file, ...more);
  const readRows = async () => {
    const [header = [], ...rows] = parse(await readFile(file, 'utf8'), { bom: true });
    return rows.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index]])));
  };

  it('writes the orders of the days of the shop, of all clients, the oldest of each first', async () => {
    expect(await write('2026-11-20', '2026-11-21')).toEqual({
      code: 0,
      out: 'Wrote 4 orders from 2026-11-20 to 2026-11-21.\n',
      err: '',
    });
    const order = (id: string, client: number, order_status: string, total: string, refunded = '0.00') => ({
      ...{ id, folio: `RX-0000000${id}`, client: String(client), order_status, total, refunded },
    });
    expect(await readRows()).toMatchObject([
      { ...order('1', first, 'shipped', '100.00'), created_at: '2026-11-20T18:00:00.000Z', payment_status: 'paid' },
      { ...order('2', first, 'approved', '200.00'), created_at: '2026-11-21T05:59:59.999Z' },
      order('3', first, 'cancelled', '50.50', '50.50'),
      order('5', second, 'approved', '300.00'),
    ]);
    expect(await readdir(folder)).toEqual(['pedidos.csv']);
  });

  it('writes those of one client, and says how many with --json', async () => {
    const [from, to] = ['2026-11-21', '2026-11-22'];
    const { out } = await write(from, to, '--client', String(second), '--json');
    expect(JSON.parse(out)).toEqual({ from, to, client: second, orders: 1, file });
    expect((await readRows()).map(({ id }) => id)).toEqual(['5']);
  });

  it('names people only with --names, in a file that only its owner may read', async () => {
    await write('2026-11-20', '2026-11-21');
    const plain = await readFile(file, 'utf8');
    await write('2026-11-20', '2026-11-21', '--names');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const [row] = await readRows();
    expect(row?.patient_name).toBe('Ana Paz');
    expect(plain).not.toMatch(/Ana Paz|@/);
  });

  it('takes days of this century, and no others', async () => {
    expect((await write('2000-01-01', '2099-12-31')).out).toBe('Wrote 6 orders from 2000-01-01 to 2099-12-31.\n');
    const { code, err } = await write('1999-12-31', '2100-01-01');
    expect(code).toBe(2);
    expect(err).toMatch(/^--from: It must be an existing date.*\n--to: It must be an existing date/);
  });
});
