import { describe, expect, it } from 'vitest';
import { table } from '../../../shared/deps.ts';
import { countUnsettled } from '../../../shared/invoices/count-invoices.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { ops } from '../../support/operators/operator-world.ts';
import { getStoredEvents } from '../../support/orders/forced-order.ts';
import { EMPLOYEE, newAddress, useInvoicingServer } from '../../support/servers/invoicing-server.ts';

const server = useInvoicingServer();

const CREDIT = { payment_method: 2 };

/** Places an order of 136.00: 2 × 28.50 without IVA, and 79.00 of shipping with 16 %, which is 68.10 and 10.90. */
async function invoiced(order: object = {}, invoicing: object = {}): Promise<number> {
  const { status, body } = await server.place({ order, invoicing: { email: newAddress(), ...invoicing } });
  expect(status).toBe(201);
  return body.id;
}

const pay = (id: number, ...more: string[]) => ops('orders', 'pay', String(id), '--status', 'paid', ...more);
const refund = (id: number, ...more: string[]) => ops('orders', 'refund', String(id), ...more);
const credit = (id: number, ...more: string[]) => ops('invoices', 'credit', String(id), ...more);
const replace = (id: number, ...more: string[]) => ops('invoices', 'replace', String(id), ...more);
const cancel = (id: number) => server.as(EMPLOYEE, 'PATCH', `/api/orders/${id}/`, { order_status: 'cancelled' });

async function listed(id: number): Promise<Record<string, unknown>> {
  const { out } = await ops('invoices', 'list', '--json', '--limit', '1000');
  return JSON.parse(out).invoices.find(({ order }: { order: number }) => order === id);
}

/** The documents that the provider has issued of a type and that relate to a UUID, by the bodies of their requests. */
const asked = (type: string, uuid: string | undefined) =>
  server.facturapi.calls
    .filter(
      ({ method, body }) =>
        method === 'POST' && (body?.type ?? 'I') === type && JSON.stringify(body).includes(`${uuid}`),
    )
    .map(({ body }) => body);

/** The amounts of the credit notes of an order. */
const creditedOf = async (id: number) =>
  (await server.stored(id)).documents.flatMap(({ kind, amountCents }) => (kind === 'credit' ? [amountCents] : []));

const uuidOf = async (id: number) => (await server.stored(id)).invoice?.stamp?.uuid;

describe('the payment complement', () => {
  it('is issued once when an order that is paid later is paid, and mailed, and rings two days before its last day', async () => {
    const email = newAddress();
    const id = await invoiced(CREDIT, { email });
    expect(await pay(id, '--form', '03')).toMatchObject({ code: 0 });
    const relatedUuid = await uuidOf(id);
    expect((await server.stored(id)).documents).toMatchObject([
      { kind: 'payment', status: 'retrying', amountCents: 13_600, paymentForm: '03', relatedUuid },
    ]);
    server.network.set(() => 'failure');
    await server.runAfter(0).catch(() => undefined);
    server.network.set();
    expect(await listed(id)).toMatchObject({ waiting: ['complement_due'], complement_by: '2026-12-05' });
    const count = async (now: string) =>
      (await countUnsettled(table(), { now: new Date(now), timeZone: 'America/Mexico_City' })).complementDue;
    // The last hour of 2 December in Mexico City, and the first of the 3rd.
    expect([await count('2026-12-03T05:59:00.000Z'), await count('2026-12-03T06:00:00.000Z')]).toEqual([0, 1]);
    await server.runAfter(60);
    await server.runAfter(60);
    expect(await listed(id)).toMatchObject({ status: 'issued', waiting: [], complement_by: null });
    const requests = asked('P', relatedUuid);
    const [paid] = requests.at(-1).complements[0].data;
    expect(paid).toMatchObject({ payment_form: '03', date: '2026-11-23T18:00:00.000Z' });
    const taxes = [
      { base: 57, rate: 0 },
      { base: 68.1, rate: 0.16 },
    ];
    expect(paid.related_documents).toMatchObject([{ amount: 136, installment: 1, last_balance: 136, taxes }]);
    expect(server.facturapi.invoices.filter(({ external_id }) => external_id.startsWith(`order-${id}-`))).toHaveLength(
      2,
    );
    expect(await server.ses.mailsTo(email)).toHaveLength(2);
    const told = (await getStoredEvents(id)).map(({ what }) => what);
    expect(told.filter((what) => what.startsWith('complement_'))).toContain('complement_issued');
  });

  it('pays what a credit note has left', async () => {
    const id = await invoiced(CREDIT);
    expect(await credit(id, '--amount', '36.00')).toMatchObject({ code: 0 });
    await pay(id, '--form', '03');
    await server.runAfter(0);
    const [note, complement] = (await server.stored(id)).documents;
    // Nothing was paid yet: c_FormaPago 15, Condonación.
    expect(note).toMatchObject({ kind: 'credit', status: 'issued', amountCents: 3_600, paymentForm: '15' });
    expect(complement).toMatchObject({ kind: 'payment', status: 'issued', amountCents: 10_000 });
    // A remission is no refund.
    expect(await refund(id, '--amount', '20.00', '--form', '03')).toMatchObject({ code: 0 });
    expect(await creditedOf(id)).toEqual([3_600, 2_000]);
  });
});

describe('invoices credit', () => {
  it('issues a credit note with its reason, and never more than the invoice', async () => {
    const id = await invoiced();
    await pay(id, '--form', '28');
    expect(await credit(id, '--amount', '100.00', '--reason', 'Caja golpeada')).toMatchObject({ code: 0 });
    expect(await credit(id, '--amount', '36.01')).toMatchObject({ code: 1 });
    expect(await creditedOf(id)).toEqual([10_000]);
    await server.runAfter(0);
    expect(asked('E', await uuidOf(id))).toMatchObject([
      { payment_form: '28', items: [{ product: { description: 'Caja golpeada' } }, {}] },
    ]);
  });

  it('credits lines and the shipping at their rates, and with refunds never more than was sold of each', async () => {
    const id = await invoiced();
    await pay(id, '--form', '28');
    const [line] = (await server.stored(id)).lines.map((each) => each.id);
    expect(await credit(id, '--line', `${line}:1`, '--shipping')).toMatchObject({ code: 0 });
    for (const more of [['--line', `${line}:2`], ['--shipping'], ['--amount', '28.51']])
      expect(await credit(id, ...more)).toMatchObject({ code: 1 });
    expect((await credit(id, '--shipping', '--amount', '1.00')).code).toBe(2);
    // An amount that was credited by hand is refunded without another note, and the rest with one.
    expect(await refund(id, '--line', `${line}:1`, '--form', '03')).toMatchObject({ code: 0 });
    expect(await refund(id, '--line', `${line}:2`, '--form', '03')).toMatchObject({ code: 1 });
    expect(await refund(id, '--line', `${line}:1`, '--form', '01')).toMatchObject({ code: 0 });
    expect(await refund(id, '--amount', '79.01', '--form', '03')).toMatchObject({ code: 1 });
    expect(await creditedOf(id)).toEqual([10_750]);
    expect(await refund(id, '--shipping', '--form', '03')).toMatchObject({ code: 0 });
    expect(await creditedOf(id)).toEqual([10_750, 2_850]);
    await server.runAfter(0);
    const both = asked('E', await uuidOf(id)).find(({ items }) => items.length === 2);
    expect(both.items).toMatchObject([
      { product: { price: 28.5, taxes: [{ rate: 0 }] } },
      { product: { price: 68.1, taxes: [{ rate: 0.16 }] } },
    ]);
  });

  it('asks before it issues an equal one, and lets one of two at once win', async () => {
    const id = await invoiced();
    const both = await Promise.all([1, 2].map(() => credit(id, '--amount', '20.00')));
    expect(both.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(await credit(id, '--amount', '20.00')).toMatchObject({ code: 1 });
    expect(await credit(id, '--amount', '19.99')).toMatchObject({ code: 0 });
    expect(await credit(id, '--amount', '20.00', '--version', '5')).toMatchObject({ code: 1 });
    expect(await credit(id, '--amount', '20.00', '--again')).toMatchObject({ code: 0 });
    expect(await creditedOf(id)).toEqual([2_000, 1_999, 2_000]);
  });
});

describe('invoices replace', () => {
  it('issues an invoice for the corrected receiver, which takes the place of the old one', async () => {
    const id = await invoiced();
    await pay(id, '--form', '28');
    const before = await server.stored(id);
    expect(await replace(id, '--zipcode', '64000', '--cfdi-use', 'G01')).toMatchObject({ code: 0 });
    expect(await server.stored(id)).toMatchObject({ cfdi: before.cfdi, invoicing: { zipcode: '06700' } });
    await server.runAfter(0);
    const after = await server.stored(id);
    expect(after.cfdi).not.toBe(before.cfdi);
    expect(after).toMatchObject({
      cfdi: after.invoice?.providerId,
      invoicing: { zipcode: '64000', cfdi_use: 'G01' },
      invoice: { status: 'issued', paymentMethod: 'PUE', paymentForm: '28', relatedUuid: before.invoice?.stamp?.uuid },
      documents: [
        {
          status: 'cancelling',
          providerId: before.cfdi,
          cancellation: { motive: '01', substitution: after.invoice?.stamp?.uuid },
        },
      ],
    });
    await server.runAfter(1);
    expect((await server.stored(id)).documents).toMatchObject([{ status: 'cancelled', providerId: before.cfdi }]);
    const [request] = asked('I', before.invoice?.stamp?.uuid);
    expect(request).toMatchObject({
      related_documents: [{ relationship: '04', documents: [before.invoice?.stamp?.uuid] }],
      customer: { address: { zip: '64000' } },
    });
    const shown = await server.as(EMPLOYEE, 'GET', `/api/orders/${id}/`);
    expect(shown.body).toMatchObject({ cfdi: after.cfdi, invoicing: { zipcode: '64000' } });
  });

  it('closes an invoice that was not paid in its month by one that is paid later', async () => {
    const id = await invoiced();
    setClock(new Date('2026-12-02T18:00:00.000Z'));
    await server.runAfter(0);
    expect(await listed(id)).toMatchObject({ waiting: ['pue_unpaid'] });
    await replace(id);
    await server.runAfter(0);
    await server.runAfter(1);
    expect(await listed(id)).toMatchObject({ status: 'issued', payment_method: 'PPD', waiting: [] });
    expect((await server.stored(id)).invoice).toMatchObject({ paymentMethod: 'PPD', paymentForm: '99' });
    await pay(id, '--form', '03');
    await server.runAfter(0);
    expect((await server.stored(id)).documents).toMatchObject([
      { kind: 'invoice', status: 'cancelled' },
      { kind: 'payment', status: 'issued', paymentForm: '03' },
    ]);
  });

  it('keeps the invoice and its receiver when the data are refused, and can be asked for again', async () => {
    const id = await invoiced();
    const { cfdi } = await server.stored(id);
    await replace(id, '--zipcode', '00000');
    await server.runAfter(0);
    expect(await server.stored(id)).toMatchObject({
      cfdi,
      invoicing: { zipcode: '06700' },
      invoice: { status: 'issued' },
      documents: [{ status: 'not_issued' }],
    });
    await replace(id, '--zipcode', '64000');
    await server.runAfter(0);
    expect(await server.stored(id)).toMatchObject({
      invoicing: { zipcode: '64000' },
      documents: [{ kind: 'invoice' }],
    });
  });

  it('holds up payments, credit notes and another replacement, and refuses a receiver as the API does', async () => {
    const id = await invoiced();
    expect(await replace(id, '--rfc', 'XAXX010101000')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^rfc: /),
    });
    expect((await server.stored(id)).documents).toEqual([]);
    await replace(id);
    const busy = [await pay(id), await credit(id, '--amount', '1.00'), await replace(id)];
    expect(busy.map(({ code }) => code)).toEqual([1, 1, 1]);
  });
});

describe('a document that is not issued yet', () => {
  it('is not issued any more once its invoice was cancelled, and waits for nobody', async () => {
    const id = await invoiced(CREDIT);
    await pay(id, '--form', '03');
    await cancel(id);
    await server.runAfter(0);
    await server.runAfter(5);
    const { invoice, documents } = await server.stored(id);
    expect([invoice, ...documents]).toMatchObject([
      { status: 'cancelled' },
      { kind: 'payment', status: 'not_issued', reason: 'invoice_cancelled' },
    ]);
    expect(asked('P', invoice?.stamp?.uuid)).toEqual([]);
    expect(await listed(id)).toMatchObject({ waiting: [] });
  });

  it('waits while its invoice is being cancelled, and is issued when the cancellation is rejected', async () => {
    const id = await invoiced();
    await pay(id);
    await refund(id, '--amount', '36.00', '--form', '03');
    await cancel(id);
    const { cfdi } = await server.stored(id);
    const invoice = server.facturapi.invoices.find((known) => known.id === cfdi);
    const answer = (cancellation_status: string) =>
      server.facturapi.script(({ method }) =>
        method === 'DELETE' ? { status: 200, body: Object.assign(invoice ?? {}, { cancellation_status }) } : undefined,
      );
    answer('pending');
    await server.runAfter(0);
    const waiting = { kind: 'credit', status: 'retrying', reason: 'invoice_cancelling' };
    expect(await server.stored(id)).toMatchObject({
      invoice: { status: 'cancellation_pending' },
      documents: [waiting],
    });
    Object.assign(invoice ?? {}, { cancellation_status: 'rejected' });
    await server.runAfter(60);
    await server.runAfter(60);
    expect(await server.stored(id)).toMatchObject({
      invoice: { status: 'cancellation_rejected' },
      documents: [{ kind: 'credit', status: 'issued' }],
    });
  });

  it('is no replacement of an invoice that has got a credit note meanwhile', async () => {
    const id = await invoiced();
    const { cfdi } = await server.stored(id);
    await replace(id, '--zipcode', '00000');
    await server.runAfter(0);
    await credit(id, '--amount', '36.00', '--form', '03');
    await server.runAfter(0);
    expect(await ops('invoices', 'issue', String(id))).toMatchObject({ code: 1 });
    expect(await server.stored(id)).toMatchObject({ cfdi, invoice: { status: 'issued' } });
    // It does not hold up another document of which nothing was issued.
    await credit(id, '--amount', '10.00', '--form', '03');
    const [replacement, first, second] = (await server.stored(id)).documents;
    if (!replacement || !first || !second) throw new Error('it has three documents');
    await server.force(id, { documents: [replacement, first, { ...second, status: 'not_issued', tasks: {} }] });
    expect(await ops('invoices', 'issue', String(id))).toMatchObject({ code: 0 });
    expect((await server.stored(id)).documents.map(({ status }) => status)).toEqual(['not_issued', 'issued', 'issued']);
  });
});
