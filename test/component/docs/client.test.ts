import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEMO_API_KEY, DEMO_PASSWORD } from '../../../infra/local/seed.ts';
import { type Botica, BoticaError, type CreateOrderRequest, createClient } from '../../../shared/client/client.ts';
import { ADDRESS, INVOICING, PDF } from '../../support/orders/samples.ts';
import { useServer } from '../../support/servers/test-server.ts';

const server = useServer();

let botica: Botica;
beforeEach(() => {
  botica = createClient({ baseUrl: server.url, apiKey: DEMO_API_KEY, language: 'en' });
});
afterEach(() => {
  vi.useRealTimers();
});

const asEmployee = () => botica.login({ email: 'aseguradora@demo.example', password: DEMO_PASSWORD });
const caughtRefusal = async (call: Promise<unknown>): Promise<BoticaError> => {
  const error = await call.catch((thrown: unknown) => thrown);
  if (!(error instanceof BoticaError)) throw error;
  return error;
};
const request = (email: string, order: Partial<CreateOrderRequest['order']> = {}): CreateOrderRequest => ({
  user: { email, first_name: 'Ana', last_name: 'Paz' },
  order: { details: [{ product: 1, quantity: 2 }], payment_method: 1, shipping: ADDRESS, ...order },
});

describe('the client in the server', () => {
  it('walks over a whole list, each item once', async () => {
    const { count } = await botica.products.list({ limit: 1 });
    const ids = new Set<number>();
    for await (const { id } of botica.products.each({ limit: 50, ordering: ['base__name'] })) ids.add(id);
    expect(count).toBe(135);
    expect(ids.size).toBe(135);
  });

  it('gets a page of 20 products, of 14.7 KB, in 2.4 KB', async () => {
    const lengths: number[] = [];
    const counting: typeof fetch = async (...call) => {
      const answer = await fetch(...call);
      lengths.push(Number(answer.headers.get('content-length')));
      return answer;
    };
    const page = await createClient({ baseUrl: server.url, apiKey: DEMO_API_KEY, fetch: counting }).products.list();
    expect(page.results).toHaveLength(20);
    expect(JSON.stringify(page).length).toBeGreaterThan(14_000);
    expect(lengths).toHaveLength(1);
    expect(lengths[0]).toBeLessThan(2_600);
  });

  it('filters by the parameters of the OpenAPI document', async () => {
    const { results } = await botica.products.list({ id__in: [1, 4], has_shortage: false, ordering: ['-price'] });
    expect(results.map(({ id, price }) => [id, price])).toEqual([
      [4, '58.00'],
      [1, '28.50'],
    ]);
    expect((await botica.products.get(4)).base?.medical_information?.requires_prescription).toBe(true);
    for (const list of [botica.categories, botica.companies, botica.diseases]) {
      expect((await list.list({ limit: 1, search: 'a' })).results).toHaveLength(1);
    }
  });

  it('quotes, and gives the path of each validation error', async () => {
    const quote = await botica.quote({ details: [{ product: 1, quantity: 2 }], zipcode: '06700' });
    expect(quote).toMatchObject({ subtotal: '57.00', shipping_price: '79.00', total: '136.00' });
    const refused = await caughtRefusal(botica.quote({ details: [{ product: 1, quantity: -1 }], zipcode: '6700' }));
    expect(refused).toMatchObject({
      status: 400,
      code: 'invalid_input',
      fields: { details: [{ quantity: [expect.any(String)] }], zipcode: [expect.any(String)] },
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it('places, reads, changes, lists and cancels an order', async () => {
    await asEmployee();
    const prescriptions = [{ document: PDF, document_name: 'receta.pdf', issue_date: '2026-11-01' }];
    const placed = await botica.orders.create(request('cliente@example.mx', { prescriptions }));
    expect(placed).toMatchObject({ total: '136.00', prescriptions: [{ document_name: 'receta.pdf' }] });
    const changed = await botica.orders.update(placed.id, { details: [{ product: 1, quantity: 4 }] });
    expect(changed.total).toBe('193.00');
    expect((await botica.orders.get(placed.id)).details[0]?.quantity).toBe(4);
    const cancelled = await botica.orders.update(placed.id, { order_status: 'cancelled' });
    expect(cancelled.order_status).toBe('cancelled');
    const { results } = await botica.orders.list({ order_status__in: ['cancelled'] });
    expect(results.map(({ id }) => id)).toContain(placed.id);
    const refused = await caughtRefusal(botica.orders.update(placed.id, { details: [{ product: 1, quantity: 2 }] }));
    expect(refused).toMatchObject({ status: 409, code: 'order_not_changeable', fields: undefined });
  });

  it('asks for an invoice, and by the id of the tax data again', async () => {
    await asEmployee();
    const { id } = await botica.orders.create(request('factura@example.mx'));
    const first = await botica.orders.requestInvoice(id, INVOICING);
    expect(first).toMatchObject({ id, cfdi: expect.stringMatching(/./), invoicing: { rfc: 'PALA800101AB1' } });
    const another = await botica.orders.create(request('factura@example.mx'));
    const { invoicing } = await botica.orders.requestInvoice(another.id, first.invoicing?.id ?? 0);
    expect(invoicing?.rfc).toBe('PALA800101AB1');
    const refused = await caughtRefusal(botica.orders.requestInvoice(id, INVOICING));
    expect(refused).toMatchObject({ status: 409, code: 'order_invoiced' });
  });

  it('places one order under one key', async () => {
    await asEmployee();
    const options = { idempotencyKey: 'basket-of-the-client-test' };
    const first = await botica.orders.create(request('una@example.mx'), options);
    const again = await botica.orders.create(request('una@example.mx'), options);
    expect(again.id).toBe(first.id);
    const other = await caughtRefusal(botica.orders.create(request('otra@example.mx'), options));
    expect(other).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
  });

  it('finds the ids of stores, of payment methods and of what is kept of the user', async () => {
    const names = async (list: AsyncIterable<{ id: number; name: string }>) =>
      (await Array.fromAsync(list)).map(({ id, name }) => [id, name]);
    expect(await names(botica.stores.each({ limit: 1, search: 'sucursal', ordering: ['-name'] }))).toEqual([
      [1, 'Sucursal Del Valle'],
      [3, 'Sucursal Centro'],
      [2, 'Sucursal Americana'],
    ]);
    await asEmployee();
    expect(await names(botica.paymentMethods.each())).toEqual([
      [2, 'Crédito'],
      [1, 'Tarjeta'],
      [3, 'Tarjeta en línea'],
      [4, 'OXXO'],
      [5, 'SPEI'],
    ]);
    expect(await botica.me()).toMatchObject({ email: 'aseguradora@demo.example', shipping_records: [] });
    botica.logout();
    expect(await caughtRefusal(botica.me())).toMatchObject({ status: 401, code: 'not_authenticated' });
    expect(await caughtRefusal(botica.paymentMethods.list())).toMatchObject({ code: 'not_authenticated' });
  });

  it('adds a prescription that was forgotten, once under one key', async () => {
    await asEmployee();
    const forgotten = await botica.orders.create(
      request('olvido@example.mx', { details: [{ product: 4, quantity: 1 }] }),
    );
    const body = { prescriptions: [{ document: PDF, issue_date: '2026-11-01' }] };
    const options = { idempotencyKey: 'prescription-of-the-client-test' };
    const first = await botica.orders.addPrescriptions(forgotten.id, body, options);
    const again = await botica.orders.addPrescriptions(forgotten.id, body, options);
    expect([forgotten, first, again].map(({ prescriptions }) => prescriptions.length)).toEqual([0, 1, 1]);
    await botica.orders.update(forgotten.id, { order_status: 'cancelled' });
    const refused = await caughtRefusal(botica.orders.addPrescriptions(forgotten.id, body));
    expect(refused).toMatchObject({ status: 409 });
  });

  it('distinguishes a wrong password, a missing login and a wrong key', async () => {
    const wrong = botica.login({ email: 'aseguradora@demo.example', password: 'otra cosa' });
    expect(await caughtRefusal(wrong)).toMatchObject({ status: 401, code: 'wrong_credentials' });
    expect(await caughtRefusal(botica.orders.list())).toMatchObject({ status: 401, code: 'not_authenticated' });
    const stranger = createClient({ baseUrl: server.url, apiKey: 'none-of-our-keys-at-all' });
    expect(await caughtRefusal(stranger.products.list())).toMatchObject({ status: 403, code: 'api_key_invalid' });
  });

  it('stays logged in beyond the life of a token', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    await asEmployee();
    vi.setSystemTime(Date.now() + 60 * 60_000);
    expect((await botica.orders.list()).count).toBeGreaterThanOrEqual(0);
  });
});
