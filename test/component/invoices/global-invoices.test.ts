import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countLateGlobals } from '../../../shared/invoices/count-invoices.ts';
import { createPart, type GlobalPart } from '../../../shared/invoices/global/global-parts.ts';
import { issueDueGlobals, issueGlobal, reopenRefused } from '../../../shared/invoices/global/issue-globals.ts';
import { DataRefused, ProviderUnavailable } from '../../../shared/invoices/provider.ts';
import type { TaxDocument } from '../../../shared/invoices/rules/tax-document.ts';
import { ledgerRows, uninvoicedRows } from '../../../shared/order/rows/invoice-rows.ts';
import { readInvoiceFile, storeInvoiceFiles } from '../../../shared/store/documents.ts';
import {
  bucket,
  by,
  countGlobals,
  documents,
  fresh,
  globalDeps,
  issuingBy,
  paid,
  partsOf,
  provider,
  useGlobalWorld,
  ZONE,
} from '../../support/invoices/global-world.ts';
import { ISSUED, taxDocument } from '../../support/invoices/tax-documents.ts';
import { operate } from '../../support/operators/operator.ts';
import { getStoredEvents } from '../../support/orders/forced-order.ts';
import { changed, table } from '../../support/orders/order-table.ts';

useGlobalWorld();

const always = { from: new Date(0), until: new Date('2100-01-01T00:00:00.000Z') };
const isOpen = async ({ id }: { readonly id: number }) =>
  (await uninvoicedRows(table, always)).some(({ orderId }) => orderId === id);

it('a paid order waits while its own invoice is in progress, leaves once it is issued, and is back when that is cancelled', async () => {
  const order = await paid('2019-01-10T18:00:00.000Z', { invoice: taxDocument() });
  const [row] = (await uninvoicedRows(table, always)).filter(({ orderId }) => orderId === order.id);
  expect(row).toMatchObject({ isWaiting: true });
  const { id: providerId, stamp } = ISSUED;
  const invoice = taxDocument({ status: 'issued', providerId, stamp, issuedAt: stamp.at });
  const issued = await changed(order, { invoice, cfdi: providerId });
  expect(await isOpen(order)).toBe(false);
  const rows = await ledgerRows(table, { from: new Date(stamp.at), until: new Date('2026-11-23T18:00:00.001Z') });
  expect(rows).toEqual([{ clientId: order.clientId, orderId: order.id, documentKey: 'order-7-a' }]);
  const cancelled = await changed(issued, { invoice: { ...invoice, status: 'cancelled' }, cfdi: '' });
  expect(await isOpen(order)).toBe(true);
  // Out of the way of the other tests.
  await changed(cancelled, { orderStatus: 'cancelled' });
});

/** Returns a document of an order that was stamped then, with the order's id for a folio, and stores its copy. */
async function copied(orderId: number, kind: TaxDocument['kind'], at: string): Promise<TaxDocument> {
  const key = `order-${orderId}-${kind}`;
  const names = ['xml', 'pdf', 'receipt'] as const;
  await storeInvoiceFiles(documents(), key, Object.fromEntries(names.map((n) => [n, Buffer.from(`${n} of ${key}`)])));
  const stamp = { ...ISSUED.stamp, folio: String(orderId), at };
  const kept = ['files', 'receipt'] as const;
  return taxDocument({ kind, status: 'issued', key, providerId: key, stamp, issuedAt: at, kept });
}

describe('the global invoice of a month', () => {
  it('has the instant of a stamp without an offset by the clock of the business', async () => {
    await paid('2018-05-10T18:00:00.000Z');
    const local = issuingBy(async (...asked) => {
      const issued = await provider.issue(...asked);
      return { ...issued, stamp: issued.stamp && { ...issued.stamp, at: '2018-06-01T00:30:00' } };
    });
    await issueGlobal('2018-05', by('2018-06-01T12:00:00.000Z'), globalDeps({ invoicing: () => local }));
    // Mexico City had daylight saving then.
    expect(await partsOf('2018-05')).toMatchObject([{ status: 'issued', stamp: { at: '2018-06-01T05:30:00.000Z' } }]);
  });

  it('has the orders that were paid in it, local time, and marks them', async () => {
    const last = await paid('2026-01-01T05:59:59.999Z');
    const first = await paid('2026-01-01T06:00:00.000Z');
    const larger = { paymentForm: '28', totalCents: 21_400, shippingPriceCents: 10_000 };
    const credit = await paid('2026-01-15T18:00:00.000Z', larger);
    const next = await paid('2026-02-01T06:00:00.000Z');
    const { parts, waiting } = await issueGlobal('2026-01', by('2026-02-01T06:30:00.000Z'), globalDeps());
    expect(waiting).toBe(0);
    expect(parts).toMatchObject([
      {
        ...{ period: '2026-01', part: 1, status: 'issued', orderCount: 2, totalCents: 40_700, reason: null },
        ...{ paymentForm: '28', zipcode: '06700', issuedAt: '2026-02-01T06:30:00.000Z' },
      },
    ]);
    expect(await countGlobals('2026-01')).toEqual(new Map([first, credit].map(({ id }) => [id, 1])));
    expect((await fresh(first)).global).toEqual({ period: '2026-01', part: 1 });
    expect((await getStoredEvents(first.id)).at(-1)).toMatchObject({ what: 'invoiced_globally', by: 'system' });
    expect([await isOpen(first), await isOpen(last), await isOpen(next)]).toEqual([false, true, true]);
    const [part] = parts;
    const found = await provider.find(part?.key ?? '', AbortSignal.timeout(5_000));
    expect(found).toMatchObject({ id: part?.providerId, status: 'valid', totalCents: 40_700, stamp: part?.stamp });
    const stampedAt = new Date(part?.stamp?.at ?? '');
    expect(await ledgerRows(table, { from: stampedAt, until: new Date(stampedAt.getTime() + 1) })).toContainEqual({
      period: '2026-01',
      part: 1,
    });
  });

  it('waits half a day for an invoice in progress, and takes its order into another part if it was not issued', async () => {
    const invoice = taxDocument();
    const waiting = await paid('2026-05-10T18:00:00.000Z', { invoice });
    const free = await paid('2026-05-10T18:00:00.000Z');
    const deps = globalDeps();
    expect(await issueGlobal('2026-05', by('2026-06-01T17:59:59.000Z'), deps)).toEqual({ parts: [], waiting: 1 });
    const { parts } = await issueGlobal('2026-05', by('2026-06-01T18:00:00.000Z'), deps);
    expect(parts).toMatchObject([{ part: 1, status: 'issued', orderCount: 1 }]);
    await changed(waiting, { invoice: { ...invoice, status: 'not_issued' } });
    const later = await issueGlobal('2026-05', by('2026-06-01T19:00:00.000Z'), deps);
    expect(later.parts).toMatchObject([{ part: 1 }, { part: 2, status: 'issued', orderCount: 1 }]);
    expect(await countGlobals('2026-05')).toEqual(new Map([free, waiting].map(({ id }) => [id, 1])));
  });

  it('has an order in one part alone, though another part lists it too', async () => {
    const taken = await paid('2026-06-10T18:00:00.000Z');
    const now = by('2026-07-01T06:30:00.000Z');
    const [first] = (await issueGlobal('2026-06', now, globalDeps())).parts;
    const free = await paid('2026-06-11T18:00:00.000Z');
    const begun = { part: 2, status: 'collecting', version: 1, key: 'global-2026-06-2', providerId: '' } as const;
    const part = { ...(first as GlobalPart), ...begun, orderCount: 2, stamp: null, issuedAt: null, isKept: false };
    const listed = [taken, free].map(({ clientId, id: orderId }) => ({ clientId, orderId }));
    expect(await createPart(table, part, listed)).toBe(true);
    const { parts } = await issueGlobal('2026-06', now, globalDeps());
    expect(parts).toMatchObject([{ part: 1 }, { part: 2, status: 'issued', orderCount: 1, totalCents: 19_300 }]);
    expect(await countGlobals('2026-06')).toEqual(new Map([taken, free].map(({ id }) => [id, 1])));
  });

  it('is copied into our bucket by the next run when the provider was down after the stamp, and is not swept', async () => {
    await paid('2016-11-10T18:00:00.000Z');
    const now = by('2016-12-01T06:30:00.000Z');
    const down = {
      ...issuingBy(provider.issue.bind(provider)),
      files: () => Promise.reject(new ProviderUnavailable()),
    };
    const first = await issueGlobal('2016-11', now, globalDeps({ invoicing: () => down }));
    expect(first.parts).toMatchObject([{ status: 'issued', isKept: false }]);
    process.env.DOCUMENTS_BUCKET = bucket;
    const bare = await operate('pipe', 'invoices', 'files', '--period', '2016-11', '--out', 'none');
    expect(bare).toMatchObject({ code: 0 });
    // Its month was closed long ago.
    const [part] = await issueDueGlobals(by('2017-12-15T06:30:00.000Z'), globalDeps());
    expect(part).toMatchObject({ period: '2016-11', status: 'issued', isKept: true, key: first.parts[0]?.key });
    expect((await operate('pipe', 'jobs', 'run', 'sweep-documents')).code).toBe(0);
    const read = async (file: 'xml' | 'pdf') =>
      Buffer.from(await readInvoiceFile(documents(), part?.key ?? '', file)).toString();
    expect(await read('xml')).toContain('<cfdi:InformacionGlobal Periodicidad="04" Meses="11" Año="2016"/>');
    expect(await read('pdf')).toMatch(/^%PDF-/);
  });

  it('is written to a folder with all documents that were stamped or cancelled in its month, local time', async () => {
    process.env.DOCUMENTS_BUCKET = bucket;
    const order = await paid('2017-03-10T18:00:00.000Z');
    await changed(order, {
      invoice: await copied(order.id, 'invoice', '2017-03-10T18:00:00.000Z'),
      cfdi: 'x',
      documents: [
        await copied(order.id, 'credit', '2017-04-01T05:59:59.999Z'),
        await copied(order.id, 'payment', '2017-04-01T06:00:00.000Z'),
      ],
    });
    const old = await paid('2017-02-10T18:00:00.000Z');
    const invoice = await copied(old.id, 'invoice', '2017-02-10T18:00:00.000Z');
    const withInvoice = await changed(old, { invoice, cfdi: 'x' });
    const cancelledAt = '2017-03-11T18:00:00.000Z';
    await changed(withInvoice, { invoice: { ...invoice, status: 'cancelled', cancelledAt }, cfdi: '' });
    await paid('2017-03-10T18:00:00.000Z');
    await issueGlobal('2017-03', by('2017-04-01T12:00:00.000Z'), globalDeps());
    const folder = await mkdtemp(join(tmpdir(), 'month-'));
    const answer = await operate('pipe', 'invoices', 'files', '--period', '2017-03', '--out', folder);
    const global = 'factura-global-GLOBAL-2017-03-1';
    const names = [
      ...[`factura-F-${order.id}.pdf`, `factura-F-${order.id}.xml`, `factura-F-${old.id}-acuse.xml`],
      ...[`${global}.pdf`, `${global}.xml`, `nota-de-credito-F-${order.id}.pdf`, `nota-de-credito-F-${order.id}.xml`],
    ];
    expect(answer).toMatchObject({ code: 0, err: '' });
    expect((await readdir(folder)).toSorted()).toEqual(names);
    const written = await readFile(join(folder, `factura-F-${old.id}-acuse.xml`), 'utf8');
    expect(written).toBe(`receipt of order-${old.id}-invoice`);
  });

  it('is shown to an operator, and exported with what is in no document', async () => {
    process.env.ISSUER_ZIPCODE = '06700';
    const order = await paid('2026-10-10T18:00:00.000Z');
    const { parts } = await issueGlobal('2026-10', by('2026-11-01T06:30:00.000Z'), globalDeps());
    const bare = await paid('2026-10-11T18:00:00.000Z');
    const read = async (...argv: string[]) => JSON.parse((await operate('pipe', ...argv, '--json')).out);
    expect((await read('accounting', 'export', '--month', '2026-10')).rows).toMatchObject([
      { order: order.id, kind: 'global', uuid: parts[0]?.stamp?.uuid, status: 'valid' },
      { order: bare.id, kind: '', status: 'none' },
    ]);
    expect(await read('invoices', 'global', '--period', '2026-10')).toMatchObject({
      parts: [{ part: 1, status: 'issued', orders: 1, total: '193.00', uuid: parts[0]?.stamp?.uuid }],
      open_orders: { count: 1, total: '193.00', waiting: 0 },
    });
    const early = await operate('pipe', 'invoices', 'global', '--period', '2099-11', '--issue');
    expect(early).toMatchObject({ code: 1 });
  });

  it('needs an operator when it is refused, and is asked for under another key then', async () => {
    await paid('2026-07-10T18:00:00.000Z');
    const now = by('2026-08-01T06:30:00.000Z');
    const refusing = issuingBy(() => Promise.reject(new DataRefused([])));
    const { parts } = await issueGlobal('2026-07', now, globalDeps({ invoicing: () => refusing }));
    expect(parts).toMatchObject([{ status: 'refused', reason: 'refused' }]);
    expect((await issueGlobal('2026-07', now, globalDeps())).parts).toMatchObject([{ status: 'refused' }]);
    await reopenRefused('2026-07', globalDeps());
    const [reopened] = (await issueGlobal('2026-07', now, globalDeps())).parts;
    expect(reopened).toMatchObject({ status: 'issued', reason: null });
    expect(reopened?.key).not.toBe(parts[0]?.key);
  });

  it('is of the last month for the job, which leaves orders of earlier ones to an operator and counts them', async () => {
    const late = await paid('2027-01-10T18:00:00.000Z');
    const due = await paid('2027-02-10T18:00:00.000Z');
    const count = (now: string) => countLateGlobals(table, { now: new Date(now), last: '2027-02', timeZone: ZONE });
    await issueDueGlobals(by('2026-12-15T06:30:00.000Z'), globalDeps());
    const lateBefore = await count('2027-03-01T06:00:00.000Z');
    expect(await count('2027-03-02T06:00:00.000Z')).toBe(lateBefore + 1);
    await issueDueGlobals(by('2027-03-01T06:30:00.000Z'), globalDeps());
    expect([await isOpen(late), await isOpen(due)]).toEqual([true, false]);
    expect(await count('2027-03-02T06:00:00.000Z')).toBe(lateBefore);
    await issueGlobal('2027-01', by('2027-03-01T06:30:00.000Z'), globalDeps());
    expect(await count('2027-03-02T06:00:00.000Z')).toBe(lateBefore - 1);
    expect((await partsOf('2027-01')).length).toBe(1);
  });
});
