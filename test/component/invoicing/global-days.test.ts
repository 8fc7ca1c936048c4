import { describe, expect, it } from 'vitest';
import { type InvoicingProvider, ProviderUnavailable } from '../../../shared/invoicing/provider.ts';
import { getPartSales } from '../../../shared/store/invoices/global-parts.ts';
import { uninvoicedRows } from '../../../shared/store/invoices/order-rows.ts';
import { countLateGlobals } from '../../../shared/usecases/invoices/global/count-late.ts';
import { issueDueGlobals, issueGlobal, reopenRefused } from '../../../shared/usecases/invoices/global/issue-globals.ts';
import {
  by,
  cancellingBy,
  countGlobals,
  fresh,
  globalDeps,
  paid,
  partsOf,
  provider,
  useGlobalWorld,
  ZONE,
} from '../../support/invoices/global-world.ts';
import { invoiceOwn, recordOwn, requestOwn } from '../../support/invoices/own-invoice.ts';
import { operate } from '../../support/operators/operator.ts';
import { table } from '../../support/orders/order-table.ts';

useGlobalWorld();

const inTime = () => AbortSignal.timeout(5_000);
const readXml = async (id: string) => Buffer.from((await provider.files(id, inTime())).xml).toString();
const readReceipt = async (id: string) => Buffer.from((await provider.receipt(id, inTime())) ?? '').toString();

/** Five orders of a local day, the first at its first instant and the last at its last one. */
async function placeFive(day: string, next: string) {
  const times = [`${day}T06:00:00.000Z`, ...Array(3).fill(`${day}T18:00:00.000Z`), `${next}T05:59:59.999Z`];
  const orders = [];
  for (const at of times) orders.push(await paid(at));
  return orders;
}

describe('the global invoice of a day', () => {
  it('is issued anew, once, without the two of five orders that got an invoice of their own', async () => {
    const orders = await placeFive('2026-03-10', '2026-03-11');
    const [first, second] = orders as [(typeof orders)[0], (typeof orders)[0]];
    await issueDueGlobals('day', by('2026-03-11T06:30:00.000Z'), globalDeps());
    const [before] = await partsOf('2026-03-10');
    expect(before).toMatchObject({
      status: 'issued',
      orderCount: 5,
      totalCents: 96_500,
      isClosed: false,
      former: null,
    });
    expect(await readXml(before?.providerId ?? '')).toContain('Periodicidad="01" Meses="03" Año="2026"');

    expect((await invoiceOwn(first, '2026-03-12T18:00:00.000Z')).global).toBeNull();
    const left = await invoiceOwn(second, '2026-03-13T05:59:59.000Z');
    expect(left.history.at(-1)).toMatchObject({ what: 'left_global_invoice' });
    await issueDueGlobals('day', by('2026-03-14T06:14:59.000Z'), globalDeps());
    expect(await partsOf('2026-03-10')).toEqual([before]);

    await issueDueGlobals('day', by('2026-03-14T06:15:00.000Z'), globalDeps());
    const [after, ...others] = await partsOf('2026-03-10');
    expect(others).toEqual([]);
    expect(after).toMatchObject({
      status: 'issued',
      orderCount: 3,
      totalCents: 57_900,
      isClosed: true,
      issuedAt: '2026-03-14T06:15:00.000Z',
      former: { key: before?.key, providerId: before?.providerId, orderCount: 5, totalCents: 96_500 },
      reason: null,
    });
    expect(after?.key).not.toBe(before?.key);
    const staying = orders.slice(2).map(({ id }) => [id, 1] as const);
    expect(await countGlobals('2026-03-10')).toEqual(new Map(staying));
    const xml = await readXml(after?.providerId ?? '');
    expect(xml).toContain('TipoRelacion="04"');
    expect(xml).toContain(`UUID="${before?.stamp?.uuid}"`);
    expect(await provider.find(before?.key ?? '', inTime())).toMatchObject({ status: 'cancelled' });
    expect(await readReceipt(before?.providerId ?? '')).toContain('04');
    await issueDueGlobals('day', by('2026-03-15T06:30:00.000Z'), globalDeps());
    expect(await partsOf('2026-03-10')).toEqual([after]);
    expect(await uninvoicedRows(table, { from: new Date(0), until: new Date('2026-04-01') })).toEqual([]);
  });

  it('stays as it is when no order leaves it', async () => {
    await paid('2026-03-20T18:00:00.000Z');
    await issueGlobal('2026-03-20', by('2026-03-21T06:30:00.000Z'), globalDeps());
    const [before] = await partsOf('2026-03-20');
    await issueGlobal('2026-03-20', by('2026-03-24T06:15:00.000Z'), globalDeps());
    expect(await partsOf('2026-03-20')).toMatchObject([
      { key: before?.key, status: 'issued', isClosed: true, former: null },
    ]);
    expect(await provider.find(before?.key ?? '', inTime())).toMatchObject({ status: 'valid' });
  });

  it('is closed when its month ends, and only cancelled when all have left', async () => {
    const order = await paid('2026-04-30T18:00:00.000Z');
    await issueGlobal('2026-04-30', by('2026-05-01T06:05:00.000Z'), globalDeps());
    await recordOwn(await requestOwn(order, '2026-05-01T05:59:59.000Z'), '2026-05-01T06:06:00.000Z');
    const { parts } = await issueGlobal('2026-04-30', by('2026-05-01T06:15:00.000Z'), globalDeps());
    expect(parts).toMatchObject([{ status: 'empty', orderCount: 0, totalCents: 0, isClosed: true, stamp: null }]);
    const former = parts[0]?.former;
    expect(await provider.find(former?.key ?? '', inTime())).toMatchObject({ status: 'cancelled' });
    expect(await getPartSales(table, { period: '2026-04-30', part: 1 }, 'FORMER')).toMatchObject({
      orders: [{ orderId: order.id }],
    });
  });

  it('waits for the outcome of an own invoice that was asked for within the window', async () => {
    const order = await paid('2026-05-10T18:00:00.000Z');
    await issueGlobal('2026-05-10', by('2026-05-11T06:30:00.000Z'), globalDeps());
    const requested = await requestOwn(order, '2026-05-13T17:59:59.000Z');
    expect(requested.global).toEqual({ period: '2026-05-10', part: 1 });
    const early = await issueGlobal('2026-05-10', by('2026-05-14T06:15:00.000Z'), globalDeps());
    expect(early.parts).toMatchObject([{ status: 'issued', isClosed: false }]);
    await recordOwn(requested, '2026-05-14T06:20:00.000Z');
    const { parts } = await issueGlobal('2026-05-10', by('2026-05-14T07:15:00.000Z'), globalDeps());
    expect(parts).toMatchObject([{ status: 'empty', isClosed: true }]);
  });

  it('is not issued anew before its former document is cancelled, and rings when that is late or refused', async () => {
    const [first] = [await paid('2026-06-10T18:00:00.000Z'), await paid('2026-06-10T18:00:00.000Z')];
    const issue = (now: string, cancelling: InvoicingProvider = provider) =>
      issueGlobal('2026-06-10', by(now), globalDeps({ invoicing: () => cancelling }));
    const count = (now: string) => countLateGlobals(table, { now: new Date(now), last: '2026-06-13', timeZone: ZONE });
    await issue('2026-06-11T06:30:00.000Z');
    await invoiceOwn(first, '2026-06-12T18:00:00.000Z');
    const due = '2026-06-14T06:15:00.000Z';
    const pending = cancellingBy({ status: 'valid', cancellation: 'pending' });
    expect((await issue(due, cancellingBy(new ProviderUnavailable()))).parts).toMatchObject([{ status: 'cancelling' }]);
    const before = await count('2026-06-14T06:20:00.000Z');
    expect((await issue(due, pending)).parts).toMatchObject([{ status: 'cancellation_pending', stamp: null }]);
    expect((await issue(due)).parts).toMatchObject([{ status: 'cancelling' }]);
    expect(await count('2026-06-15T06:00:00.000Z')).toBe(before + 1);
    const rejected = cancellingBy({ status: 'valid', cancellation: 'not_cancelable' });
    expect((await issue(due, rejected)).parts).toMatchObject([
      { status: 'cancellation_rejected', reason: 'not_cancelable', stamp: null },
    ]);
    expect(await count('2026-06-14T06:20:00.000Z')).toBe(before + 1);
    await reopenRefused('2026-06-10', globalDeps());
    expect((await issue(due)).parts).toMatchObject([{ status: 'issued', orderCount: 1, reason: null }]);
    expect(await count('2026-06-15T06:00:00.000Z')).toBe(before);
  });

  it('is shown to an operator, and exported as issued last and with its former document as cancelled', async () => {
    process.env.ISSUER_ZIPCODE = '06700';
    const first = await paid('2026-07-10T18:00:00.000Z');
    const second = await paid('2026-07-10T18:00:00.000Z');
    await issueGlobal('2026-07-10', by('2026-07-11T06:30:00.000Z'), globalDeps());
    await invoiceOwn(first, '2026-07-11T18:00:00.000Z');
    await issueGlobal('2026-07-10', by('2026-07-14T06:15:00.000Z'), globalDeps());
    const [part] = await partsOf('2026-07-10');
    const { out } = await operate('pipe', 'accounting', 'export', '--month', '2026-07');
    const rows = out.split('\r\n').map((line) => line.split(','));
    const total = rows[0]?.indexOf('total') ?? 0;
    const told = rows.slice(1, -1).map((row) => [Number(row[0]), ...row.slice(2, 5), row[total]]);
    expect(told).toEqual([
      [first.id, 'global', part?.former?.stamp.uuid, 'cancelled', '193.00'],
      [first.id, 'global', part?.former?.stamp.uuid, 'cancelled', '-193.00'],
      [second.id, 'global', part?.former?.stamp.uuid, 'cancelled', '193.00'],
      [second.id, 'global', part?.former?.stamp.uuid, 'cancelled', '-193.00'],
      [second.id, 'global', part?.stamp?.uuid, 'valid', '193.00'],
    ]);
    const shown = await operate('pipe', 'invoices', 'global', '--period', '2026-07-10', '--json');
    expect(JSON.parse(shown.out)).toMatchObject({
      parts: [{ part: 1, status: 'issued', orders: 1, uuid: part?.stamp?.uuid, replaces: part?.former?.stamp.uuid }],
    });
    const early = await operate('pipe', 'invoices', 'global', '--period', '2099-11-21', '--issue');
    expect(early).toMatchObject({ code: 1, err: 'The day 2099-11-21 is not over: orders are still paid in it.\n' });
    const unknown = await operate('pipe', 'invoices', 'global', '--period', '2026-02-30');
    expect(unknown.code).not.toBe(0);
  });

  it('does not take part in that of its month', async () => {
    const order = await paid('2026-08-10T18:00:00.000Z');
    await issueGlobal('2026-08-10', by('2026-08-11T06:30:00.000Z'), globalDeps());
    const other = await paid('2026-08-11T18:00:00.000Z');
    const { parts } = await issueGlobal('2026-08', by('2026-09-01T06:30:00.000Z'), globalDeps());
    expect(parts).toMatchObject([{ period: '2026-08', part: 1, orderCount: 1, isClosed: true }]);
    expect((await fresh(order)).global).toEqual({ period: '2026-08-10', part: 1 });
    expect((await fresh(other)).global).toEqual({ period: '2026-08', part: 1 });
  });
});
