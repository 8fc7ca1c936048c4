import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Counter } from '../../../infra/counter/server/server.ts';
import { openDocuments } from '../../../infra/ops/context.ts';
import { openTestCounter, placeOrder } from '../../support/counter/counter-world.ts';
import { drawnPdf } from '../../support/counter/prescription-files.ts';
import { sendHttp } from '../../support/http/http.ts';
import { forceStored, getStoredEvents, getStoredOrder } from '../../support/orders/forced-order.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { useServer } from '../../support/servers/test-server.ts';

const server = useServer();
let counter: Counter;
beforeAll(async () => {
  counter = await openTestCounter();
});
afterAll(() => counter.close());

const origin = (): string => new URL(counter.address).origin;
const bearer = (): { Authorization: string } => ({ Authorization: `Bearer ${counter.token}` });
const get = (target: string, headers: Record<string, string> = {}) =>
  sendHttp(origin(), target, { method: 'GET', headers });
const run = (name: string, body: object | string = {}, headers: Record<string, string> = bearer()) =>
  sendHttp(origin(), `/commands/${name}`, { method: 'POST', headers, body });
/** Returns the whole refusal that a request is answered with. */
const refusal = (answer: ReturnType<typeof get>) => answer.then(({ status, body }) => ({ status, ...body }));

it('is on loopback, with a token of 256 bits', () => {
  expect(counter.address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#[\w-]{43}$/);
});

describe('the files of the page', () => {
  it.each([
    ['/', 'text/html; charset=utf-8'],
    ['/counter.js', 'text/javascript; charset=utf-8'],
  ])('%s comes without a token, under a policy that allows nothing inline or from elsewhere', async (target, type) => {
    const { status, headers, body } = await get(target);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': type,
      'content-security-policy': expect.stringMatching(/^default-src 'none'; script-src 'self'; style-src 'self'; /),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    });
    expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:|\*/);
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(body).not.toContain(counter.token);
  });

  it.each(['/package.json', '/%2e%2e/cli.ts', '/__proto__'])('are not %s', async (target) => {
    expect((await get(target, bearer())).status).toBe(404);
  });
});

describe('a request', () => {
  const refusedBy = async (headers: Record<string, string>) => {
    // Nor does it learn which paths there are.
    const answers = [run('orders-queue', {}, headers), get('/session', headers), get('/nowhere', headers)];
    const [first, ...others] = await Promise.all(answers.map(refusal));
    for (const other of others) expect(other).toEqual(first);
    return first;
  };

  it.each([
    ['another host, as after DNS rebinding', { Host: 'evil.example' }],
    ['another port', { Host: '127.0.0.1:1' }],
    ['a host that begins as this one', { Host: 'localhost.evil.example:80' }],
  ])('for %s is refused, even for a file', async (_, host) => {
    expect(await refusedBy({ ...bearer(), ...host })).toMatchObject({ status: 403, code: 'foreign_host' });
    expect((await get('/', { ...bearer(), ...host })).status).toBe(403);
  });

  it('may call this machine localhost', async () => {
    const Host = `localhost:${new URL(origin()).port}`;
    expect((await get('/session', { ...bearer(), Host, Origin: `http://${Host}` })).status).toBe(200);
  });

  it.each(['https://evil.example', 'null', 'http://127.0.0.1:1'])('of the origin %s is refused', async (Origin) => {
    expect(await refusedBy({ ...bearer(), Origin })).toMatchObject({ status: 403, code: 'foreign_origin' });
  });

  it.each([
    ['no token', {}],
    ['another token', { Authorization: 'Bearer AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
    ['a token of another length', { Authorization: 'Bearer x' }],
    ['another scheme', { Authorization: 'Basic eDp5' }],
  ])('with %s is refused', async (_, headers: Record<string, string>) => {
    expect(await refusedBy(headers)).toMatchObject({ status: 401, code: 'no_token' });
  });
});

describe('a command', () => {
  it('answers its document to the page', async () => {
    const { status, body } = await run('orders-queue', {}, { ...bearer(), Origin: origin() });
    const page = { tab: 'all', page: 1, pages: 1, orders: [], stores: [], newest: [], has_more: false };
    const counts = { due: 0, verify: 0, fill: 0, ship: 0, deliver: 0, refund: 0, all: 0 };
    expect([status, body]).toEqual([200, { document: { ...page, counts } }]);
  });

  it.each(['clients-create', 'catalog-publish', '__proto__'])('%s is not one of the counter', async (name) => {
    expect(await refusal(run(name))).toMatchObject({ status: 404, code: 'unknown_command' });
  });

  it('tells all faults of its input by the keys of the command', async () => {
    const { status, body } = await run('orders-queue', { tab: 'lost', page: 0 });
    expect([status, body.code]).toEqual([400, 'invalid_input']);
    expect(body.errors).toMatchObject([{ path: ['tab'] }, { path: ['page'], code: 'too_small' }]);
  });

  it.each([
    ['a key that it does not have', 'orders-queue', { all: true }, 'unknown_field'],
    ['a list for a text', 'orders-queue', { page: ['1'] }, 'not_text'],
    ['input that the page is not offered', 'catalog-search', { text: 'zinc', version: '0123' }, 'unknown_field'],
  ])('refuses %s', async (_, name, input, code) => {
    const { status, body } = await run(name, input);
    expect([status, body.code, body.errors[0].code]).toEqual([400, 'invalid_input', code]);
  });

  it('refuses a body that is no JSON, or not sent as JSON', async () => {
    expect(await refusal(run('orders-queue', '{"limit":'))).toMatchObject({ status: 400, code: 'malformed_json' });
    const headers = { ...bearer(), 'Content-Type': 'text/plain' };
    expect((await run('orders-queue', '{}', headers)).status).toBe(415);
  });

  it('that changes an order is seen in the queue at once', async () => {
    const id = await placeOrder(server);
    const status = async () => {
      const { orders } = (await run('orders-queue')).body.document;
      return orders.find((order: { readonly id: number }) => order.id === id)?.order_status;
    };
    await expect.poll(status).toBe('approved');
    await run('orders-move', { id, to: 'in_process' });
    expect(await status()).toBe('in_process');
  });

  it('is refused with the code of the refusal', async () => {
    expect(await refusal(run('orders-show', { id: 99 }))).toMatchObject({ status: 404, code: 'not_found' });
  });
});

describe('an order for a patient who is known', () => {
  const health = { sex: 'F', birthdate: '1990-05-01', medical_condition: 'Penicilina' };
  const ana = { name: 'Ana Paz', phone: null, ...health };
  const none = { name: null, phone: null, sex: null, birthdate: null, medical_condition: null };
  const nobody = { sex: null, birthdate: null, medical_condition: '' };
  const asthma = { medical_condition: 'Asma' };
  const penicillin = { ...none, medical_condition: 'Penicilina' };
  const [luis, boy] = [{ first_name: 'Luis' }, { first_name: 'Luis', sex: 'M' }];

  it.each([
    ['a doctor, under her name without accents', 'doctora', { first_name: 'ANÁ' }, health, none],
    ['a doctor, with another condition', 'doctora', asthma, { ...health, ...asthma }, penicillin],
    ['a doctor, for her son with his sex', 'doctora', boy, { ...nobody, sex: 'M' }, ana],
    ['an employee, for her son', 'aseguradora', luis, nobody, ana],
    ['an employee, for her son with his sex', 'aseguradora', boy, { ...nobody, sex: 'M' }, { ...ana, sex: null }],
  ])('by %s, tells whose the health data are', async (name, login, sent, own, onRecord) => {
    const known = orderBody(`${name.replaceAll(/\W/g, '')}@example.mx`, {}).user;
    const place = async (email: string, user: object) => {
      const token = await server.login(`${email}@demo.example`);
      const body = { ...orderBody(known.email), user: { ...known, ...user } };
      return server.request('POST', '/api/orders/resources/', { token, body });
    };
    await place('aseguradora', health);
    const { body: placed } = await place(login, sent);
    const { document } = (await run('orders-show', { id: placed.id })).body;
    expect(document.patient.user).toMatchObject(own);
    expect(document.patient_on_record).toEqual(onRecord);
    expect(placed).not.toHaveProperty('patient_on_record');
  });
});

describe('the document of a prescription', () => {
  it('is given only with the token, as a file that shows nothing', async () => {
    const id = await placeOrder(server, [drawnPdf()]);
    const prescription = (await getStoredOrder(id)).prescriptions[0]?.id;
    expect(await get(`/documents/${id}/${prescription}`)).toMatchObject({ status: 401 });
    const { status, headers } = await get(`/documents/${id}/${prescription}`, bearer());
    expect({ status, ...headers }).toMatchObject({
      status: 200,
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    const others = [`/documents/${id}/999999`, `/documents/999999/${prescription}`, `/documents/${id}/..%2f1`];
    for (const path of others) expect((await get(path, bearer())).status).toBe(404);
  });

  it('is added in the name of who works there, and its faults stand at their fields', async () => {
    const id = await placeOrder(server, [drawnPdf()]);
    const add = (query: string, body: Buffer) =>
      sendHttp(origin(), `/documents/${id}?${query}`, {
        method: 'POST',
        headers: { ...bearer(), 'Content-Type': 'application/octet-stream' },
        body,
      });
    const badDate = await add('name=receta.pdf&issueDate=20-11-2026', drawnPdf());
    expect([badDate.status, badDate.body.errors[0].path]).toEqual([400, ['issueDate']]);
    const noPicture = await add('name=receta.pdf&issueDate=2026-11-20', Buffer.from('nothing'));
    expect([noPicture.status, noPicture.body.errors]).toEqual([
      400,
      [{ path: ['file'], code: 'not_a_document', text: expect.stringContaining('PDF') }],
    ]);
    expect((await getStoredOrder(id)).prescriptions).toHaveLength(1);
    const { status, body } = await add('name=receta%20nueva.pdf&issueDate=2026-11-20', drawnPdf());
    expect([status, body.document.prescriptions[1].document_name]).toEqual([200, 'receta nueva.pdf']);
    expect((await getStoredEvents(id)).at(-1)?.by).toEqual({ operator: 'Eva Farmacéutica' });
  });
});

describe('a command that is refused', () => {
  it('tells the reason in Spanish, and at the field that it is about', async () => {
    const waiting = await placeOrder(server, [drawnPdf()]);
    const plain = await placeOrder(server);
    const moved = await run('orders-move', { id: waiting, to: 'approved' });
    expect([moved.status, moved.body.code]).toEqual([409, 'move_not_allowed']);
    expect(moved.body.text).toContain('1 × producto 4');
    const paidBack = [{ cents: 2_000, form: '03', at: '2026-11-20T18:00:00.000Z', parts: [] }];
    await forceStored(plain, { paymentStatus: 'paid', refunds: paidBack });
    const { body } = await run('orders-refund', { id: plain, amount: '500.00', form: '03' });
    expect(body.text).toContain('87.50 pesos');
    expect(body.errors).toEqual([{ path: ['amount'], code: 'move_not_allowed', text: body.text }]);
  });

  it('says that the document of a prescription has malware, or is gone', async () => {
    const id = await placeOrder(server, [drawnPdf()]);
    const { prescriptions } = await getStoredOrder(id);
    const read = () => refusal(get(`/documents/${id}/${prescriptions[0]?.id}`, bearer()));
    await openDocuments().remove([prescriptions[0]?.documentKey ?? '']);
    expect(await read()).toMatchObject({ status: 404, code: 'document_missing' });
    await forceStored(id, { prescriptions: prescriptions.map((each) => ({ ...each, scan: 'threat' })) });
    expect(await read()).toMatchObject({ status: 409, code: 'document_withheld' });
  });
});
