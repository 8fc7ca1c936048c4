import { describe, expect, it } from 'vitest';
import type { Order } from '../../../shared/api/orders/orders.ts';
import { documents, ids, table } from '../../../shared/deps.ts';
import { userByEmail } from '../../../shared/people/users.ts';
import { addPrescriptions } from '../../../shared/prescriptions/add-prescriptions.ts';
import { business, documentsConfig } from '../../../shared/runtime/config.ts';
import { Documents } from '../../../shared/store/documents.ts';
import { forceStored, getStoredEvents, getStoredOrder } from '../../support/orders/forced-order.ts';
import { JPEG, orderBody, PDF, PNG } from '../../support/orders/samples.ts';
import { listStoredDocuments } from '../../support/orders/stored-orders.ts';
import { type DemoTokens, useDemoTokens, useServer } from '../../support/servers/test-server.ts';

// Prescriptions that follow their order. `unit/prescriptions` has the rules of a document, `proofs/documents` the files that are
// taken, and `proofs/refusals` who may add them.

const PATIENT = 'paciente@demo.example';
const server = useServer();
const tokens = useDemoTokens(server);
type By = keyof DemoTokens;
const sent = (document = PDF, more: object = {}) => ({ document, issue_date: '2026-01-19', ...more });

/** Places an order of a product that requires a prescription. */
async function placed(prescriptions: object[] = [], by: By = 'employee'): Promise<Order> {
  const body = orderBody(PATIENT, { details: [{ product: 4, quantity: 1 }], prescriptions });
  const answer = await server.request('POST', '/api/orders/resources/', { token: tokens[by], body });
  expect(answer.status).toBe(201);
  return answer.body;
}

const add = (id: number, prescriptions: object[], by: By = 'employee', headers: Record<string, string> = {}) =>
  server.request('POST', `/api/orders/${id}/prescriptions/`, { token: tokens[by], body: { prescriptions }, headers });
const keyed = (key: string) => ({ 'Idempotency-Key': key });
const cancel = (id: number) => server.asEmployee('PATCH', `/api/orders/${id}/`, { order_status: 'cancelled' });

/** A file with this many bytes that is a PDF by its beginning and end. */
const pdfOf = (bytes: number) => Buffer.from(`%PDF-1.4\n${' '.repeat(bytes - 14)}%%EOF`).toString('base64');
const MEGABYTE = 1024 * 1024;

describe('prescriptions of an order that waits for approval', () => {
  it('are added behind those that it has, in the history and as the order shows them', async () => {
    const before = await placed([sent()]);
    const named = sent(JPEG, { document_name: 'de la doctora.txt', expiring_date: '2999-12-31' });
    const answer = await add(before.id, [sent(PNG), named], 'patient');
    expect([answer.status, answer.headers['cache-control']]).toEqual([201, 'no-store']);
    const order: Order = answer.body;
    expect(order).toMatchObject({ id: before.id, order_status: 'pending_approval', total: before.total });
    const ofOrder = { patient: order.patient.id, order: order.id, is_verified: false };
    expect(order.prescriptions).toMatchObject([
      { ...ofOrder, document_name: 'receta-1.pdf', expiring_date: null, updated_by: before.updated_by?.id },
      { ...ofOrder, document_name: 'receta-2.png', expiring_date: null, updated_by: order.patient.id },
      { ...ofOrder, document_name: 'de la doctora.jpg', expiring_date: '2999-12-31', updated_by: order.patient.id },
    ]);
    const file = await fetch(order.prescriptions[1]?.document ?? '');
    expect(Buffer.from(await file.arrayBuffer()).toString('base64')).toBe(PNG);
    expect((await getStoredEvents(before.id)).at(-1)).toMatchObject({
      ...{ what: 'prescription_attached', by: { user: order.patient.id }, version: 2 },
      prescriptions: order.prescriptions.slice(1).map(({ id }) => id),
    });
    const [known] = (await getStoredOrder((await placed([sent(PNG)])).id)).prescriptions;
    expect((await getStoredOrder(before.id)).prescriptions[1]?.documentHash).toBe(known?.documentHash);
  });

  it('are accepted up to 10 and 4 MB together, and not beyond', async () => {
    const full = await placed(Array.from({ length: 9 }, () => sent()));
    const refused = { status: 400, body: { prescriptions: [expect.any(String)] } };
    expect(await add(full.id, [sent(), sent()])).toMatchObject(refused);
    expect((await add(full.id, [sent()])).status).toBe(201);
    const heavy = await placed([sent(pdfOf(3 * MEGABYTE))]);
    expect(await add(heavy.id, [sent(pdfOf(MEGABYTE + 1))])).toMatchObject(refused);
    expect((await add(heavy.id, [sent(pdfOf(MEGABYTE))])).status).toBe(201);
  });

  it.each(['quoted', 'approved', 'cancelled'] as const)('are refused once it is %s', async (orderStatus) => {
    const { id } = await placed();
    await forceStored(id, { orderStatus });
    expect(await add(id, [sent()])).toMatchObject({ status: 409, body: { code: 'order_not_waiting' } });
  });
});

describe('an idempotency key', () => {
  it('adds prescriptions once, and answers the order as it is now', async () => {
    const { id } = await placed();
    const key = keyed('receta-una-vez');
    expect((await add(id, [sent('x')], 'employee', key)).status).toBe(400);
    const first = await add(id, [sent()], 'employee', key);
    expect([first.status, first.headers['idempotent-replayed']]).toEqual([201, undefined]);
    expect((await cancel(id)).status).toBe(200);
    const before = await listStoredDocuments();
    const again = await add(id, [sent()], 'employee', key);
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(again.body).toMatchObject({ id, order_status: 'cancelled', prescriptions: [{ is_verified: false }] });
    expect(await listStoredDocuments()).toEqual(before);
  });

  it('is refused with other prescriptions, for another order, and for a placed order, and belongs to its user', async () => {
    const [one, other] = [await placed(), await placed()];
    const key = keyed('receta-otra');
    expect((await add(one.id, [sent()], 'employee', key)).status).toBe(201);
    const create = { token: tokens.employee, body: orderBody(PATIENT), headers: key };
    const answers = [
      await add(one.id, [sent(PNG)], 'employee', key),
      await add(other.id, [sent()], 'employee', key),
      await server.request('POST', '/api/orders/resources/', create),
    ];
    expect(answers.map(({ body }) => body.code)).toEqual(Array(3).fill('idempotency_key_reused'));
    const theirs = await add(one.id, [sent()], 'patient', key);
    expect([theirs.status, theirs.body.prescriptions.length]).toEqual([201, 2]);
  });
});

/** Documents that are stored only after something else has happened. */
class AfterEvent extends Documents {
  readonly #event: () => Promise<unknown>;

  constructor(event: () => Promise<unknown>) {
    super(documentsConfig().DOCUMENTS_BUCKET, true);
    this.#event = event;
  }

  override async store(...sent: Parameters<Documents['store']>): Promise<void> {
    await super.store(...sent);
    await this.#event();
  }
}

async function addWith(documents: Documents, id: number, idempotencyKey?: string) {
  const { client } = server;
  const user = await userByEmail(table(), client.id, 'aseguradora@demo.example');
  if (!user) throw new Error('no such user');
  const caller = { client, user, confirmed: Promise.resolve(user) };
  const deps = { table: table(), ids: ids(), documents, business: business() };
  return addPrescriptions({ id, body: { prescriptions: [sent()] }, idempotencyKey, caller, now: new Date() }, deps);
}

describe('another change at the same time', () => {
  it('that ends the waiting is told, and the document is removed', async () => {
    const { id } = await placed();
    const before = await listStoredDocuments();
    const adding = addWith(new AfterEvent(() => cancel(id)), id);
    await expect(adding).rejects.toMatchObject({ code: 'order_not_waiting' });
    expect(await listStoredDocuments()).toEqual(before);
  });

  it('that leaves it waiting wins', async () => {
    const { id } = await placed();
    const adding = addWith(new AfterEvent(() => add(id, [sent(PNG)])), id);
    await expect(adding).rejects.toMatchObject({ code: 'order_changed_meanwhile' });
    expect((await getStoredOrder(id)).prescriptions.map(({ documentType: type }) => type)).toEqual(['image/png']);
  });
});

it('a prescription that cannot be stored is refused as unavailable, and can be sent again', async () => {
  const { id } = await placed([sent()]);
  const adding = addWith(new Documents('no-such-bucket', true), id, 'receta-caida');
  await expect(adding).rejects.toMatchObject({ code: 'unavailable' });
  expect((await getStoredOrder(id)).version).toBe(1);
  const { isReplayed, order } = await addWith(documents(), id, 'receta-caida');
  expect([isReplayed, order.version]).toEqual([false, 2]);
});
