import { describe, expect, it } from 'vitest';
import { countUnsettled } from '../../../shared/invoices/count-invoices.ts';
import { issueGlobal } from '../../../shared/invoices/global/issue-globals.ts';
import { issueUnissued } from '../../../shared/invoices/issue-unissued.ts';
import { type InvoicingProvider, ProviderUnavailable } from '../../../shared/invoices/provider.ts';
import { runDueTasks } from '../../../shared/invoices/run-due-tasks.ts';
import type { Order } from '../../../shared/order/order.ts';
import { business } from '../../../shared/runtime/config.ts';
import { readInvoiceFile } from '../../../shared/store/documents.ts';
import { Ids } from '../../../shared/store/ids.ts';
import {
  by,
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
import { elementsAt, elementsOf } from '../../support/invoices/xml-elements.ts';
import { ops } from '../../support/operators/operator-world.ts';
import { changed, table } from '../../support/orders/order-table.ts';

useGlobalWorld();

const settleAt = (now: string) =>
  runDueTasks(by(now), {
    table,
    business: business(),
    documents: documents(),
    invoicing: () => provider,
    mail: () => {
      throw new Error('nobody is mailed');
    },
  });
const refund = ({ id }: Order, amount: string) =>
  ops('orders', 'refund', String(id), '--amount', amount, '--form', '03');
const credit = ({ id }: Order, amount: string) => ops('invoices', 'credit', String(id), '--amount', amount);
const uuidOf = async (period: string) => (await partsOf(period))[0]?.stamp?.uuid;

/** Pays an order of 193.00, 79.00 of it for shipping, on the 10th of a month, and issues the month's global invoice. */
async function soldIn(period: string, changes: Partial<Order> = {}): Promise<Order> {
  const order = await paid(`${period}-10T18:00:00.000Z`, changes);
  await issueGlobal(period, by(`${nextMonth(period)}-01T06:30:00.000Z`), globalDeps());
  return fresh(order);
}
const nextMonth = (period: string) => `${period.slice(0, 5)}${String(Number(period.slice(5)) + 1).padStart(2, '0')}`;

describe('a refund of an order in a global invoice', () => {
  it('gets a credit note to the public that relates to the part, once, and is archived and not mailed', async () => {
    const order = await soldIn('2025-01');
    expect(await refund(order, '50.00')).toMatchObject({ code: 0 });
    await settleAt('2099-01-01T00:00:00.000Z');
    await settleAt('2099-01-01T00:05:00.000Z');
    const after = await fresh(order);
    const uuid = await uuidOf('2025-01');
    expect(after.documents).toMatchObject([
      {
        ...{ kind: 'credit', status: 'issued', amountCents: 5_000, paymentForm: '03', relatedUuid: uuid },
        ...{ mail: null, kept: ['files'], tasks: {}, globalZipcode: '06700' },
      },
    ]);
    const xml = Buffer.from(await readInvoiceFile(documents(), after.documents[0]?.key ?? '', 'xml')).toString();
    const elements = elementsOf(xml);
    const at = (path: string) => elementsAt(elements, path);
    expect(at('cfdi:Comprobante')).toMatchObject([
      { TipoDeComprobante: 'E', LugarExpedicion: '06700', Total: '50.00' },
    ]);
    expect(at('cfdi:InformacionGlobal')).toEqual([]);
    expect(at('cfdi:Receptor')).toMatchObject([{ Rfc: 'XAXX010101000', UsoCFDI: 'G02' }]);
    expect(at('cfdi:CfdiRelacionado')).toEqual([{ UUID: uuid }]);
    // 50.00 × 114 / 193 is 29.533…; the other 20.47 are 17.65 and 2.82 of IVA.
    const sold = { NoIdentificacion: `RX-${String(order.id).padStart(8, '0')}`, ClaveProdServ: '84111506' };
    expect(at('cfdi:Concepto')).toMatchObject([
      { ...sold, Importe: '29.53' },
      { ...sold, Importe: '17.65' },
    ]);
    const { out } = await ops('accounting', 'export', '--month', '2027-01', '--json');
    expect(JSON.parse(out).rows).toMatchObject([
      {
        ...{ order: order.id, kind: 'egreso', related_uuid: uuid, total: '50.00', status: 'valid' },
        ...{ base_0: '29.53', base_16: '17.65', iva_16: '2.82', shipping: '0.00', discount: '0.00' },
      },
    ]);
  });

  it('never exceeds what was sold, with the credit notes of an operator', async () => {
    const order = await soldIn('2025-03');
    await changed(order, { orderStatus: 'cancelled' });
    expect(await credit(order, '93.00')).toMatchObject({ code: 0 });
    expect(await credit(order, '100.01')).toMatchObject({ code: 1 });
    expect(await refund(order, '193.00')).toMatchObject({ code: 0 });
    await settleAt('2099-01-03T00:00:00.000Z');
    expect((await fresh(order)).documents).toMatchObject([
      { status: 'issued', amountCents: 9_300 },
      { status: 'issued', amountCents: 10_000 },
    ]);
    expect(await credit(order, '0.01')).toMatchObject({ code: 1 });
  });

  it('waits until the part is issued', async () => {
    const late = await paid('2025-04-11T18:00:00.000Z');
    const down = issuingBy(() => Promise.reject(new Error('the provider is down')));
    await issueGlobal('2025-04', by('2025-05-01T06:30:00.000Z'), globalDeps({ invoicing: () => down }));
    expect(await refund(late, '193.00')).toMatchObject({ code: 0 });
    await settleAt('2099-01-04T00:00:00.000Z');
    // An alarm of its own counts a part that is late.
    const counted = await countUnsettled(table, { now: new Date('2099-01-04T00:00:00.000Z'), timeZone: ZONE });
    expect(counted.unsettledInvoices).toBe(0);
    expect((await fresh(late)).documents).toMatchObject([
      { status: 'retrying', reason: 'global_not_issued', amountCents: 19_300, relatedUuid: null },
    ]);
    expect(await ops('invoices', 'issue', String(late.id))).toMatchObject({ code: 1 });
    await issueGlobal('2025-04', by('2025-05-01T07:30:00.000Z'), globalDeps());
    await settleAt('2099-01-04T02:00:00.000Z');
    expect((await fresh(late)).documents).toMatchObject([{ status: 'issued', relatedUuid: await uuidOf('2025-04') }]);
  });
});

const RECEIVER = {
  ...{ rfc: 'MOXL900412AB1', full_name: 'LUZ MORA', fiscal_regime: '605' },
  ...{ cfdi_use: 'S01', zipcode: '06700', email: 'luz@example.mx' },
};
const issue = (order: Order, issuing: InvoicingProvider = provider) =>
  issueUnissued(
    { id: order.id, operator: 'eva', now: new Date('2026-12-15T18:00:00.000Z'), receiver: RECEIVER },
    {
      ...{ table, business: business(), documents: documents(), ids: new Ids(table) },
      ...{ invoicing: () => issuing, mail: () => undefined },
    },
  );
const issuedOf = ({ invoice, documents: others }: Order) =>
  [invoice, ...others].map((document) => [document?.kind, document?.status, document?.amountCents]);

describe('a customer who asks for an invoice after the global one', () => {
  it('gets it once an egreso of what the global one has of the order is issued, and a later refund is of the invoice', async () => {
    const order = await soldIn('2026-05', {
      refunds: [
        {
          cents: 3_000,
          form: '03',
          at: '2026-05-11T18:00:00.000Z',
          parts: [{ line: null, quantity: 0, cents: 3_000 }],
        },
      ],
    });
    await refund(order, '50.00');
    expect(await issue(order)).toMatchObject([
      { kind: 'global_credit', outcome: 'issued' },
      { kind: 'global_credit', outcome: 'issued' },
      { kind: 'invoice', outcome: 'issued' },
    ]);
    const after = await fresh(order);
    // Of 193.00, 30.00 went back before the global invoice and 50.00 after it; the invoice has all, and a credit note of both.
    expect(issuedOf(after)).toEqual([
      ['invoice', 'issued', 19_300],
      ['credit', 'issued', 5_000],
      ['credit', 'issued', 11_300],
      ['credit', 'retrying', 8_000],
    ]);
    expect(after).toMatchObject({ cfdi: after.invoice?.providerId, invoicing: { ...RECEIVER, updated_by: null } });
    expect(after.documents.map(({ relatedUuid }) => relatedUuid)).toEqual([
      ...Array(2).fill(await uuidOf('2026-05')),
      after.invoice?.stamp?.uuid,
    ]);
    await expect(issue(order)).rejects.toMatchObject({ code: 'move_not_allowed' });
  });

  it('has it after a provider that was down for the egreso: the invoice waits, also beyond its window', async () => {
    const order = await soldIn('2026-06');
    const down = issuingBy(() => Promise.reject(new ProviderUnavailable('down')));
    expect(await issue(order, down)).toMatchObject([
      { kind: 'global_credit', outcome: 'unavailable' },
      { kind: 'invoice', outcome: 'unavailable' },
    ]);
    expect((await fresh(order)).invoice).toMatchObject({ status: 'retrying', reason: 'global_credit_not_issued' });
    await settleAt('2099-02-01T00:00:00.000Z');
    await settleAt('2099-02-01T02:00:00.000Z');
    expect(issuedOf(await fresh(order))).toEqual([
      ['invoice', 'issued', 19_300],
      ['credit', 'issued', 19_300],
    ]);
  });

  it('waits while the global one is in progress, and loses nothing', async () => {
    const order = await paid('2026-07-10T18:00:00.000Z');
    const down = issuingBy(() => Promise.reject(new Error('the provider is down')));
    await issueGlobal('2026-07', by('2026-08-01T06:30:00.000Z'), globalDeps({ invoicing: () => down }));
    const before = await fresh(order);
    await expect(issue(order)).rejects.toMatchObject({ code: 'invoice_in_progress' });
    expect(await fresh(order)).toEqual(before);
  });
});
