import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { handler as eraseRetained } from '../../../functions/jobs/erase-retained.ts';
import { getOrderOfAnyClient } from '../../../shared/order/orders.ts';
import { moveOrder } from '../../../shared/ordering/move-order.ts';
import { movePayment } from '../../../shared/payments/move-payment.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { business } from '../../../shared/runtime/config.ts';
import { RETAINED_PARTITION } from '../../../shared/store/keys.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import { findTraces } from '../../support/hostile/planted.ts';
import { operate } from '../../support/operators/operator.ts';
import { getStoredEvents } from '../../support/orders/forced-order.ts';
import { INVOICING } from '../../support/orders/samples.ts';
import { useServer } from '../../support/servers/test-server.ts';

/** Noon in Mexico City, on the day of the order and of its delivery. */
const NOON = new Date('2026-11-23T18:00:00.000Z');
const LAST_EVENING = new Date('2027-11-24T05:59:59.000Z');
const MIDNIGHT = new Date('2027-11-24T06:00:00.000Z');
const LAST_EVENING_OF_TAX = new Date('2032-05-01T05:59:59.000Z');
const MIDNIGHT_OF_TAX = new Date('2032-05-01T06:00:00.000Z');

const EMAIL = 'planta@plantada.example';
const DOCUMENT = Buffer.from('%PDF-1.4\nPlantadocumento\n%%EOF\n').toString('base64');
const RECEIVER = { ...INVOICING, full_name: 'PLANTA PAZ LUNA' };
const PRESCRIPTION = { document: DOCUMENT, issue_date: '2026-01-19', document_name: 'Plantareceta.pdf' };

beforeAll(() => setClock(NOON));
const server = useServer();
let table: Table;
beforeAll(async () => {
  table = openTable();
});
afterEach(() => setClock(NOON));

async function place(more: Record<string, unknown> = {}) {
  const { id, patient } = await server.placeOrder(EMAIL, { prescriptions: [PRESCRIPTION] }, more);
  return { id: Number(id), patient: Number(patient.id) };
}

async function deliver(id: number): Promise<void> {
  for (const to of ['in_process', 'ready', 'shipped', 'delivered'] as const) {
    await moveOrder({ id, to, now: NOON, operator: 'ana' }, { table, business: business() });
  }
  await movePayment({ id, to: 'paid', now: NOON, operator: 'ana' }, { table });
}

const erase = async (patient: number) => {
  const client = String(server.client.id);
  const args = ['patients', 'erase', '--client', client, '--id', String(patient), '--yes', '--json'];
  const { code, out } = await operate('pipe', ...args);
  expect(code).toBe(0);
  return JSON.parse(out);
};
const runJob = async (name: string) => JSON.parse((await operate('pipe', 'jobs', 'run', name, '--json')).out);
const sweep = async () => (await runJob('sweep-documents')).documents;
const eraseDue = async () => (await runJob('erase-retained')).orders;
const detail = async (id: number) => (await server.asEmployee('GET', `/api/orders/${id}/`)).body;
const show = async (id: number) => JSON.parse((await operate('pipe', 'orders', 'show', String(id), '--json')).out);

describe('the prescription of a dispensed order whose patient is erased', () => {
  it('is kept for a year for the operator alone, without its name, and then removed by the job', async () => {
    const { id, patient } = await place();
    await deliver(id);
    expect(await erase(patient)).toMatchObject({
      orders: [id],
      documents: 0,
      kept_documents: [{ order: id, documents: 1, until: '2027-11-23' }],
    });
    const order = await getOrderOfAnyClient(table, id);
    expect(order).toMatchObject({ prescriptions: [], patient: { deletedAt: '2026-11-23T18:00:00.000Z' } });
    expect(JSON.stringify(order)).not.toMatch(/planta/i);
    expect((await detail(id)).prescriptions).toEqual([]);

    const { kept_documents } = await show(id);
    expect(kept_documents).toEqual([
      { prescription: expect.any(Number), kept_until: '2027-11-23', document: expect.any(String) },
    ]);
    expect(Buffer.from(await (await fetch(kept_documents[0].document)).arrayBuffer()).toString('base64')).toBe(
      DOCUMENT,
    );

    setClock(LAST_EVENING);
    await eraseRetained();
    expect(await sweep()).toMatchObject({ removed: 0, failed: 0 });
    expect(await findTraces(/Plantadocumento/)).toHaveLength(1);
    setClock(MIDNIGHT);
    expect(await sweep()).toMatchObject({ removed: 0, failed: 0 });
    await Promise.all([eraseRetained(), eraseRetained()]);
    expect(await findTraces(/planta/i)).toEqual([]);
    const { retained } = (await getOrderOfAnyClient(table, id)) ?? {};
    expect(retained).toBeNull();
    expect((await getStoredEvents(id)).slice(-2)).toMatchObject([
      { what: 'erased', at: '2026-11-23T18:00:00.000Z', by: { operator: expect.any(String) } },
      { what: 'erased', at: '2027-11-24T06:00:00.000Z', by: 'system' },
    ]);
    expect(await eraseDue()).toEqual({});
    expect(await table.all({ pk: RETAINED_PARTITION })).toEqual([]);
  });

  it('goes a year after its delivery, and the receiver of its invoice when its own term ends', async () => {
    const { id, patient } = await place({ invoicing: RECEIVER });
    await deliver(id);
    const { cfdi } = await detail(id);
    expect(await erase(patient)).toMatchObject({
      ...{ orders: [id], invoicing_records: 1, patient_record: true },
      kept: [{ order: id, cfdi, until: '2032-04-30' }],
      kept_documents: [{ order: id, documents: 1, until: '2027-11-23' }],
    });
    setClock(MIDNIGHT);
    expect(await eraseDue()).toEqual({ erased: 1 });
    expect(await findTraces(/Plantadocumento/)).toEqual([]);
    const retained = { documents: [], documentsUntil: null, receiverUntil: '2032-04-30' };
    const address = { street: '', city: '', email: '', latitude: null };
    const receiver = { full_name: 'PLANTA PAZ LUNA', rfc: 'PALA800101AB1', zipcode: '06700', ...address };
    expect(await getOrderOfAnyClient(table, id)).toMatchObject({ invoicing: receiver, retained });
    setClock(LAST_EVENING_OF_TAX);
    expect(await eraseDue()).toEqual({});
    setClock(MIDNIGHT_OF_TAX);
    expect(await eraseDue()).toEqual({ erased: 1 });
    expect(await getOrderOfAnyClient(table, id)).toMatchObject({ invoicing: null, retained: null });
    expect(await findTraces(/planta/i)).toEqual([]);
  });

  it('is removed by another erasure once the year is over', async () => {
    const { id, patient } = await place();
    await deliver(id);
    await erase(patient);
    expect(await erase(patient)).toMatchObject({ orders: [], kept_documents: [{ order: id, until: '2027-11-23' }] });
    setClock(MIDNIGHT);
    expect(await erase(patient)).toMatchObject({ orders: [id], documents: 1, kept_documents: [] });
    expect(await getOrderOfAnyClient(table, id)).toMatchObject({
      retained: null,
      patient: { deletedAt: '2026-11-23T18:00:00.000Z' },
    });
    expect(await findTraces(/planta/i)).toEqual([]);
    expect((await show(id)).kept_documents).toEqual([]);
  });

  it('is removed at once if the order was cancelled before anything was dispensed', async () => {
    const { id, patient } = await place();
    await moveOrder({ id, to: 'cancelled', now: NOON, operator: 'ana' }, { table, business: business() });
    expect(await erase(patient)).toMatchObject({ orders: [id], documents: 1, kept_documents: [] });
    expect(await findTraces(/planta/i)).toEqual([]);
  });
});

it('a due record that cannot be removed makes the job fail, and does not hold up the others', async () => {
  const { id, patient } = await place();
  await deliver(id);
  await erase(patient);
  const lost = { pk: RETAINED_PARTITION, sk: '2027-01-01#000000999999999', clientId: server.client.id };
  await table.putAll([{ ...lost, orderId: 999_999_999 }]);
  setClock(MIDNIGHT);
  await expect(eraseRetained()).rejects.toThrow('1 orders keep what has to be removed');
  expect(await findTraces(/planta/i)).toEqual([]);
  expect((await operate('pipe', 'jobs', 'run', 'erase-retained', '--json')).code).toBe(1);
  await table.deleteAll([lost]);
});

it('an order whose patient is erased takes no prescription, receiver or mail, and loses the files of a sandbox invoice', async () => {
  const { id, patient } = await place({ invoicing: INVOICING });
  await deliver(id);
  expect(await findTraces(/^(sandbox-)?invoices/)).toHaveLength(3);
  await erase(patient);
  expect(await findTraces(/^(sandbox-)?invoices/)).toEqual([]);
  const before = await getOrderOfAnyClient(table, id);
  const attach = ['orders', 'attach-prescription', String(id), '--file', 'LICENSE', '--issue-date', '2026-01-19'];
  for (const command of [attach, ['invoices', 'resend', String(id)]]) {
    expect(await operate('pipe', ...command)).toMatchObject({
      code: 1,
      err: `The patient of order ${id} has been erased.\n`,
    });
  }
  const path = `/api/orders/${id}/request-invoice/`;
  expect(await server.asEmployee('PATCH', path, INVOICING)).toMatchObject({ status: 404 });
  expect(await getOrderOfAnyClient(table, id)).toEqual(before);
});
