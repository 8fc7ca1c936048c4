import { beforeAll, describe, expect, it } from 'vitest';
import type { Order } from '../../../shared/api/orders/orders.ts';
import { documents, ids, table } from '../../../shared/deps.ts';
import type { Order as StoredOrder } from '../../../shared/order/order.ts';
import { changeOrderWrites } from '../../../shared/order/order-writes.ts';
import { getOrderOfAnyClient } from '../../../shared/order/orders.ts';
import { userByEmail } from '../../../shared/people/users.ts';
import { addPrescriptions } from '../../../shared/prescriptions/add-prescriptions.ts';
import { business, documentsConfig } from '../../../shared/runtime/config.ts';
import { Documents } from '../../../shared/store/documents.ts';
import { BY_JOB, forceVersion, getStoredEvents } from '../../support/orders/forced-order.ts';
import { JPEG, orderBody, PDF, PNG } from '../../support/orders/samples.ts';
import { listStoredDocuments } from '../../support/orders/stored-documents.ts';
import { useServer } from '../../support/servers/test-server.ts';

const PATIENT = 'paciente@demo.example';
const server = useServer();
let tokens: Record<'patient' | 'otherPatient' | 'doctor' | 'otherDoctor' | 'employee', string>;
beforeAll(async () => {
  await server.addUser(server.client, 'patient', 'otra@example.mx');
  await server.addUser(server.client, 'doctor', 'otro@example.mx');
  tokens = {
    ...(await server.loginDemoUsers()),
    otherPatient: await server.login('otra@example.mx'),
    otherDoctor: await server.login('otro@example.mx'),
  };
});

type By = keyof typeof tokens;
const english = { 'Accept-Language': 'en' };
const sent = (document = PDF, more: object = {}) => ({ document, issue_date: '2026-01-19', ...more });

/** Places an order of a product that requires a prescription. */
async function placed(prescriptions: object[] = [], by: By = 'employee', product = 4): Promise<Order> {
  const body = orderBody(PATIENT, { details: [{ product, quantity: 1 }], prescriptions });
  const answer = await server.request('POST', '/api/orders/resources/', { token: tokens[by], body });
  expect(answer.status).toBe(201);
  return answer.body;
}

const add = (id: number | string, prescriptions: object[], by: By = 'employee', headers: Record<string, string> = {}) =>
  server.request('POST', `/api/orders/${id}/prescriptions/`, {
    token: tokens[by],
    body: { prescriptions },
    headers: { ...english, ...headers },
  });
const keyed = (key: string) => ({ 'Idempotency-Key': key });

async function stored(id: number): Promise<StoredOrder> {
  const order = await getOrderOfAnyClient(table(), id);
  if (!order) throw new Error('no such order');
  return order;
}
async function force(id: number, state: Partial<StoredOrder>): Promise<void> {
  const before = await stored(id);
  await table().transact(changeOrderWrites(before, forceVersion(before, state), BY_JOB));
}

/** A file with this many bytes that is a PDF by its beginning and end. */
const pdfOf = (bytes: number): string =>
  `${Buffer.from(`%PDF-1.4\n${' '.repeat(bytes - 14)}%%EOF`).toString('base64')}`;
const MEGABYTE = 1024 * 1024;

describe('prescriptions of an order that waits for approval', () => {
  it('are added behind those that it has, and shown as the order shows them', async () => {
    const before = await placed([sent()]);
    const answer = await add(before.id, [
      sent(PNG),
      sent(JPEG, { document_name: 'de la doctora.txt', expiring_date: '2999-12-31' }),
    ]);
    expect([answer.status, answer.headers['cache-control']]).toEqual([201, 'no-store']);
    const order: Order = answer.body;
    expect(order).toMatchObject({ id: before.id, order_status: 'pending_approval', total: before.total });
    expect(
      order.prescriptions.map(({ document_name: name, ...one }) => [name, one.expiring_date, one.is_verified]),
    ).toEqual([
      ['receta-1.pdf', null, false],
      ['receta-2.png', null, false],
      ['de la doctora.jpg', '2999-12-31', false],
    ]);
    const added = order.prescriptions[1];
    expect(added).toMatchObject({ patient: order.patient.id, order: order.id, updated_by: order.updated_by?.id });
    const file = await fetch(added?.document ?? '');
    expect(Buffer.from(await file.arrayBuffer()).toString('base64')).toBe(PNG);
    const { body: read } = await server.request('GET', `/api/orders/${before.id}/`, { token: tokens.employee });
    const plain = (shown: Order) => ({
      ...shown,
      prescriptions: shown.prescriptions.map(({ document: _, ...one }) => one),
    });
    expect(plain(read)).toEqual(plain(order));
  });

  it('are in the history by their user, and know their document again', async () => {
    const { id } = await placed([], 'patient');
    const { body } = await add(id, [sent()], 'patient');
    const order = await stored(id);
    const history = await getStoredEvents(id);
    expect(history.map(({ what }) => what)).toEqual(['created', 'prescription_attached']);
    expect(history.at(-1)).toMatchObject({
      by: { user: body.patient.id },
      version: 2,
      prescriptions: [body.prescriptions[0].id],
    });
    expect(order.prescriptions[0]).toMatchObject({
      documentHash: (await stored((await placed([sent()])).id)).prescriptions[0]?.documentHash,
      verification: null,
    });
  });

  it.each(['patient', 'doctor', 'employee'] as const)('are added by a %s who sees the order', async (by) => {
    const { id } = await placed([], by === 'doctor' ? 'doctor' : 'employee');
    expect((await add(id, [sent()], by)).status).toBe(201);
  });

  it('are accepted up to 10 and 4 MB together, and not beyond', async () => {
    const full = await placed(Array.from({ length: 9 }, () => sent()));
    const many = { prescriptions: ['At most 10 prescriptions an order.'] };
    expect((await add(full.id, [sent(), sent()])).body).toEqual(many);
    expect((await add(full.id, [sent()])).status).toBe(201);
    expect((await add(full.id, [sent()])).body).toEqual(many);
    const heavy = await placed([sent(pdfOf(3 * MEGABYTE))]);
    const large = { prescriptions: ['The documents of an order may have up to 4 MB together.'] };
    expect((await add(heavy.id, [sent(pdfOf(MEGABYTE + 1))])).body).toEqual(large);
    expect((await add(heavy.id, [sent(pdfOf(MEGABYTE))])).status).toBe(201);
  });
});

describe('prescriptions are refused', () => {
  it('by the rules of creation, each in its place, and none is stored', async () => {
    const { id } = await placed();
    const before = await listStoredDocuments();
    const { status, body } = await add(id, [
      sent(),
      sent('%PDF'),
      sent(Buffer.from('GIF89a').toString('base64')),
      sent(pdfOf(3 * MEGABYTE + 1), { issue_date: '2999-01-01', expiring_date: '2020-01-01' }),
    ]);
    expect(status).toBe(400);
    expect(body).toEqual({
      prescriptions: [
        {},
        { document: ['It must be valid base64.'] },
        { document: ['It must be a complete PDF, JPEG or PNG file, without scripts or other files inside.'] },
        {
          document: ['Each document may have up to 3 MB.'],
          issue_date: [expect.stringMatching(/later than today/)],
          expiring_date: [expect.any(String), expect.any(String)],
        },
      ],
    });
    expect(await listStoredDocuments()).toEqual(before);
    expect((await stored(id)).version).toBe(1);
  });

  it('to whoever does not see the order, as if it did not exist', async () => {
    const { id } = await placed();
    const other = await server.addClient('Ajena');
    await server.addUser(other.client, 'insurance_employee', 'ajena@example.mx');
    const stranger = { token: await server.login('ajena@example.mx', other.key), key: other.key };
    const body = { prescriptions: [sent()] };
    const answers = [
      await add(id, [sent()], 'otherPatient'),
      await add(id, [sent()], 'doctor'),
      await add(id, [sent()], 'otherDoctor'),
      await add(99_999_999, [sent()]),
      await add('x', [sent()]),
      await server.request('POST', `/api/orders/${id}/prescriptions/`, { ...stranger, body, headers: english }),
    ];
    const missing = { detail: 'Not found.', code: 'not_found' };
    expect(answers.map((answer) => [answer.status, answer.body])).toEqual(answers.map(() => [404, missing]));
    expect((await stored(id)).version).toBe(1);
  });

  it.each(['quoted', 'approved', 'cancelled'] as const)('to an order that is %s', async (orderStatus) => {
    const { id } = await placed();
    await force(id, { orderStatus });
    const { status, body } = await add(id, [sent()]);
    const detail =
      'Prescriptions are added only to an order that waits for approval; later, the pharmacist can attach them.';
    expect([status, body]).toEqual([409, { detail, code: 'order_not_waiting' }]);
  });
});

describe('an idempotency key', () => {
  it('adds prescriptions once, and answers the order as it is now', async () => {
    const { id } = await placed();
    const first = await add(id, [sent()], 'employee', keyed('receta-una-vez'));
    expect([first.status, first.headers['idempotent-replayed']]).toEqual([201, undefined]);
    const cancelling = { token: tokens.employee, body: { order_status: 'cancelled' } };
    expect((await server.request('PATCH', `/api/orders/${id}/`, cancelling)).status).toBe(200);
    const before = await listStoredDocuments();
    const again = await add(id, [sent()], 'employee', keyed('receta-una-vez'));
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(again.body).toMatchObject({ id, order_status: 'cancelled', prescriptions: [{ is_verified: false }] });
    expect(again.body.prescriptions).toHaveLength(1);
    expect(await listStoredDocuments()).toEqual(before);
  });

  it('is refused with other prescriptions, for another order, and for a placed order', async () => {
    const [one, other] = [await placed(), await placed()];
    const reused = [422, 'idempotency_key_reused'];
    expect((await add(one.id, [sent()], 'employee', keyed('receta-otra'))).status).toBe(201);
    const answers = [
      await add(one.id, [sent(PNG)], 'employee', keyed('receta-otra')),
      await add(other.id, [sent()], 'employee', keyed('receta-otra')),
      await server.request('POST', '/api/orders/resources/', {
        token: tokens.employee,
        body: orderBody(PATIENT),
        headers: keyed('receta-otra'),
      }),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([reused, reused, reused]);
    expect((await add(one.id, [sent()], 'employee', keyed('corta'))).status).toBe(400);
  });

  it('belongs to its user, and is not used up by a refusal', async () => {
    const { id } = await placed();
    expect((await add(id, [sent('x')], 'employee', keyed('receta-de-dos'))).status).toBe(400);
    expect((await add(id, [sent()], 'employee', keyed('receta-de-dos'))).status).toBe(201);
    const theirs = await add(id, [sent()], 'patient', keyed('receta-de-dos'));
    expect([theirs.status, theirs.body.prescriptions.length]).toEqual([201, 2]);
  });

  it('adds them once for requests at the same time, without a document that is left over', async () => {
    const { id } = await placed();
    const before = await listStoredDocuments();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => add(id, [sent()], 'employee', keyed('receta-con-prisa'))),
    );
    expect(answers.map(({ status, body }) => [status, body.prescriptions.length])).toEqual(answers.map(() => [201, 1]));
    expect(new Set(answers.map(({ body }) => body.prescriptions[0].id)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(7);
    expect(await listStoredDocuments()).toHaveLength(before.length + 1);
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
  const body = { prescriptions: [sent()] };
  const caller = { client, user, confirmed: Promise.resolve(user) };
  const deps = { table: table(), ids: ids(), documents, business: business() };
  return addPrescriptions({ id, body, idempotencyKey, caller, now: new Date() }, deps);
}

describe('another change at the same time', () => {
  it('that ends the waiting is told, and the document is removed', async () => {
    const { id } = await placed();
    const before = await listStoredDocuments();
    const cancelling = { token: tokens.employee, body: { order_status: 'cancelled' } };
    const cancel = () => server.request('PATCH', `/api/orders/${id}/`, cancelling);
    await expect(addWith(new AfterEvent(cancel), id)).rejects.toMatchObject({ code: 'order_not_waiting' });
    expect(await listStoredDocuments()).toEqual(before);
  });

  it('that leaves it waiting wins', async () => {
    const { id } = await placed();
    const other = () => add(id, [sent(PNG)]);
    await expect(addWith(new AfterEvent(other), id)).rejects.toMatchObject({ code: 'order_changed_meanwhile' });
    expect((await stored(id)).prescriptions.map(({ documentType: type }) => type)).toEqual(['image/png']);
  });

  it('that is the same request is its answer', async () => {
    const { id } = await placed();
    const other = () => add(id, [sent()], 'employee', keyed('receta-a-la-vez'));
    const { order, isReplayed } = await addWith(new AfterEvent(other), id, 'receta-a-la-vez');
    expect([isReplayed, order.prescriptions.length]).toEqual([true, 1]);
  });
});

describe('while documents cannot be stored', () => {
  it.each(['the first', 'another'])(
    '%s prescription is refused as unavailable, and can be sent again',
    async (which) => {
      const { id } = await placed(which === 'another' ? [sent()] : []);
      const nowhere = new Documents('no-such-bucket', true);
      await expect(addWith(nowhere, id, `receta-${which.length}-caida`)).rejects.toMatchObject({ code: 'unavailable' });
      expect((await stored(id)).version).toBe(1);
      const { isReplayed, order } = await addWith(documents(), id, `receta-${which.length}-caida`);
      expect([isReplayed, order.version]).toEqual([false, 2]);
    },
  );
});
