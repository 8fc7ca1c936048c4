import { chmod, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ids } from '../../../shared/deps.ts';
import { createClient } from '../../../shared/store/access/clients.ts';
import { openTable } from '../../../shared/store/table.ts';
import { operate } from '../../support/operators/operator.ts';
import { placed, useOrderTable } from '../../support/orders/order-table.ts';

useOrderTable();

let folder: string;
let file: string;
let first: number;
let second: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orders-export-'));
  file = join(folder, 'pedidos.csv');
  const terms = { origin: 'demo', paymentMethods: [1], carrierName: null };
  const register = async (name: string) => (await createClient(openTable(), ids(), { ...terms, name }, new Date())).id;
  [first, second] = [await register('Norte'), await register('Sur')];
  const order = { totalCents: 10_000, orderStatus: 'approved' } as const;
  // A day of Mexico City begins at 06:00 UTC.
  await placed({ ...order, id: 1, clientId: first, createdAt: '2026-11-20T05:59:59.999Z' });
  await placed({ ...order, id: 2, clientId: first, createdAt: '2026-11-20T06:00:00.000Z' });
  await placed({ ...order, id: 3, clientId: second, createdAt: '2026-11-20T18:00:00.000Z' });
  await placed({ ...order, id: 4, clientId: first, createdAt: '2026-11-22T05:59:59.999Z' });
  await placed({ ...order, id: 5, clientId: first, createdAt: '2026-11-22T06:00:00.000Z' });
});
afterAll(() => rm(folder, { recursive: true }));

const DAYS = ['--from', '2026-11-20', '--to', '2026-11-21'];
const write = (...more: readonly string[]) => operate('pipe', 'orders', 'export', ...DAYS, '--out', file, ...more);
const readRows = async () => {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\r\n');
  return lines.map((line) => line.split(','));
};

const HEADER =
  '\ufeffid,folio,client,origin,created_at,updated_at,order_status,payment_status,payment_method,payment_date,' +
  'shipping_method,store,shipping_date,receiving_date,patient,generated_by,lines,coupon,' +
  'subtotal,discount,iva,shipping_price,shipping_discount,total,refunded,cfdi';

describe('orders export', () => {
  it('writes the orders of the days of the shop, of all clients, the oldest of each first', async () => {
    expect(await write()).toEqual({ code: 0, out: 'Wrote 3 orders from 2026-11-20 to 2026-11-21.\n', err: '' });
    const [header = [], ...rows] = await readRows();
    expect(header.join(',')).toBe(HEADER);
    expect(rows.map((row) => [0, 1, 2, 4, 6, 23, 24].map((column) => row[column]))).toEqual([
      ['2', 'RX-00000002', String(first), '2026-11-20T06:00:00.000Z', 'approved', '100.00', '0.00'],
      ['4', 'RX-00000004', String(first), '2026-11-22T05:59:59.999Z', 'approved', '100.00', '0.00'],
      ['3', 'RX-00000003', String(second), '2026-11-20T18:00:00.000Z', 'approved', '100.00', '0.00'],
    ]);
    expect(await readdir(folder)).toEqual(['pedidos.csv']);
  });

  it('writes those of one client, and says how many with --json', async () => {
    const { out } = await write('--client', String(second), '--json');
    expect(JSON.parse(out)).toEqual({ from: '2026-11-20', to: '2026-11-21', client: second, orders: 1, file });
    expect((await readRows()).map(([id]) => id)).toEqual(['\ufeffid', '3']);
  });

  it('names people only with --names, in a file that only its owner may read', async () => {
    const rights = async () => (await stat(file)).mode & 0o777;
    await chmod(file, 0o700);
    await write();
    expect(await rights()).toBe(0o700);
    const plain = await readFile(file, 'utf8');
    await write('--names');
    expect(await rights()).toBe(0o600);
    const [header = [], row = []] = await readRows();
    expect(header.slice(-2)).toEqual(['patient_name', 'generated_by_name']);
    const names = row.slice(-2);
    expect(names.every((name) => name.length > 3)).toBe(true);
    expect(names.filter((name) => plain.includes(name))).toEqual([]);
    expect(plain).not.toContain('@');
  });

  it('takes days from 1970 to 9990, and no others', async () => {
    const between = (from: string, to: string) =>
      operate('pipe', 'orders', 'export', '--from', from, '--to', to, '--out', file);
    expect((await between('1970-01-01', '9990-12-31')).out).toBe('Wrote 5 orders from 1970-01-01 to 9990-12-31.\n');
    const { code, out, err } = await between('1969-12-31', '9991-01-01');
    expect([code, out, err.split('\n').slice(0, 2)]).toEqual([
      2,
      '',
      ['--from: It must be 1970-01-01 or more.', '--to: It must be 9990-12-31 or less.'],
    ]);
  });
});
