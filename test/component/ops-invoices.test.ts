import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { setClock } from '../../shared/runtime/clock.ts';
import { operate } from '../support/operators/operator.ts';
import { EMPLOYEE, type InvoicingServer, openInvoicingServer } from '../support/servers/invoicing-server.ts';

// This is noon on a Monday in Mexico City.
const NOON = new Date('2026-11-23T18:00:00.000Z');

let server: InvoicingServer;
beforeAll(async () => {
  setClock(NOON);
  server = await openInvoicingServer();
});
beforeEach(() => setClock(NOON));
afterEach(() => {
  server.facturapi.script();
  server.network.set();
  server.ses.mood = 'well';
});
afterAll(async () => {
  setClock();
  await server.close();
});

let addresses = 0;
const newAddress = () => `ops-${++addresses}-${Date.now()}@example.mx`;
const ops = (...argv: readonly string[]) => operate('pipe', ...argv);
const done = (out: string) => ({ code: 0, out, err: '' });
const refused = (err: string) => ({ code: 1, out: '', err });

async function placed(email = newAddress(), order: object = {}): Promise<{ id: number; cfdi: string }> {
  const { status, body } = await server.place({ order, invoicing: { email } });
  expect(status).toBe(201);
  return body;
}

async function listed(...more: string[]) {
  const { code, out } = await ops('invoices', 'list', '--json', '--limit', '1000', ...more);
  expect(code).toBe(0);
  return JSON.parse(out).invoices as Record<string, unknown>[];
}
const of = async (order: { id: number }, ...more: string[]) =>
  (await listed(...more)).filter((invoice) => invoice.order === order.id);

describe('invoices list', () => {
  it('shows an invoice under its status, and under no other', async () => {
    const order = await placed();
    const invoice = {
      order: order.id,
      client: server.client.id,
      status: 'issued',
      cfdi: order.cfdi,
      total: '136.00',
      payment_method: 'PUE',
      mail: 'sent',
      waiting: [],
      reason: null,
      requested_at: '2026-11-23T18:00:00.000Z',
      issued_at: '2026-11-23T18:00:00.000Z',
      due_at: null,
    };
    expect(await of(order)).toEqual([invoice]);
    expect(await of(order, '--status', 'issued')).toEqual([invoice]);
    expect(await of(order, '--status', 'requested')).toEqual([]);
  });

  it('shows invoices that are in progress, not issued, being cancelled, and cancelled', async () => {
    server.network.set(({ nth }) => (nth === 1 ? 'lost reply' : 'failure'));
    const order = await placed();
    expect(await of(order)).toMatchObject([{ status: 'requested', cfdi: '', due_at: '2026-11-23T18:01:00.000Z' }]);
    server.network.set();
    await server.settleAfter(1);
    await server.as(EMPLOYEE, 'PATCH', `/api/orders/${order.id}/`, { order_status: 'cancelled' });
    expect(await of(order)).toMatchObject([{ status: 'cancelling', due_at: '2026-11-23T18:01:00.000Z' }]);
    await server.settleAfter(0);
    expect(await of(order)).toMatchObject([{ status: 'cancelled', due_at: null }]);

    const { body } = await server.place({ invoicing: { zipcode: '00000' } });
    expect(await of(body)).toMatchObject([{ status: 'not_issued', reason: 'refused', mail: null }]);
  });

  it('shows a complement as due once a credit order is paid, until it is handled', async () => {
    const order = await placed(newAddress(), { payment_method: 2 });
    expect(await of(order)).toMatchObject([{ status: 'issued', payment_method: 'PPD', waiting: [] }]);
    await ops('orders', 'pay', String(order.id), '--status', 'paid', '--form', '03');
    expect(await of(order, '--status', 'complement_due')).toMatchObject([{ waiting: ['complement_due'] }]);
    expect(await ops('invoices', 'handled', String(order.id))).toEqual(
      done(`Handled of order ${order.id}: complement_due.\n`),
    );
    expect(await of(order)).toMatchObject([{ status: 'issued', waiting: [] }]);
    expect(await ops('invoices', 'handled', String(order.id))).toEqual(
      refused(`The invoice of order ${order.id} has no open action.\n`),
    );
  });

  it('shows a cancellation that was rejected', async () => {
    const order = await placed();
    await server.as(EMPLOYEE, 'PATCH', `/api/orders/${order.id}/`, { order_status: 'cancelled' });
    const invoice = server.facturapi.invoices.find(({ id }) => id === order.cfdi);
    Object.assign(invoice ?? {}, { cancellation_status: 'rejected' });
    server.facturapi.script(({ method }) => (method === 'DELETE' ? { status: 200, body: invoice } : undefined));
    await server.settleAfter(0);
    expect(await of(order)).toMatchObject([{ status: 'cancellation_rejected', waiting: ['cancellation_rejected'] }]);
  });

  it('shows the latest first, as many as asked for', async () => {
    setClock(new Date('2026-11-24T18:00:00.000Z'));
    const [first, second] = [await placed(), await placed()];
    setClock(new Date('2026-11-24T18:00:01.000Z'));
    const third = await placed();
    const { out } = await ops('invoices', 'list', '--limit', '3', '--json');
    const orders = JSON.parse(out).invoices.map(({ order }: { order: number }) => order);
    expect(orders[0]).toBe(third.id);
    expect(orders.slice(1).sort()).toEqual([first.id, second.id].sort());
  });

  it('is a table on a terminal, and tab-separated lines elsewhere', async () => {
    setClock(new Date('2026-11-25T18:00:00.000Z'));
    const { id, cfdi } = await placed();
    const argv = ['invoices', 'list', '--limit', '1'];
    expect(await ops(...argv)).toEqual(
      done(`${id}\t${server.client.id}\tissued\t${cfdi}\t136.00\tPUE\tsent\t\t\t2026-11-25T18:00:00.000Z\t\n`),
    );
    const { out } = await operate('terminal', ...argv);
    expect(out).toMatch(/^order +client +status +cfdi +total +payment_method +mail +waiting +reason +requested_at/);
  });

  it('explains an unknown status', async () => {
    const { code, err } = await ops('invoices', 'list', '--status', 'lost');
    expect(code).toBe(2);
    expect(err).toContain('--status: It must be one of: requested, not_issued, issued, mail_due,');
  });
});

describe('invoices settle', () => {
  it('does the work of the jobs, and counts it', async () => {
    const [lost, unsent] = [newAddress(), newAddress()];
    server.network.set(({ nth }) => (nth === 1 ? 'lost reply' : 'failure'));
    const first = await placed(lost);
    server.network.set();
    server.ses.mood = 'down';
    await placed(unsent);
    server.ses.mood = 'well';
    expect(await ops('invoices', 'settle')).toEqual(done('Invoices: nothing is due.\nMails: nothing is due.\n'));
    setClock(new Date('2026-11-23T18:02:00.000Z'));
    expect(await ops('invoices', 'settle')).toEqual(done('Invoices: 1 issued.\nMails: 1 sent.\n'));
    expect(await of(first)).toMatchObject([{ status: 'issued', mail: 'sent' }]);
    const mails = await Promise.all([lost, unsent].map(server.ses.mailsTo));
    expect(mails.map(({ length }) => length)).toEqual([1, 1]);
    expect(JSON.parse((await ops('invoices', 'settle', '--json')).out)).toEqual({ invoices: {}, mails: {} });
  });

  it('counts what it could not process', async () => {
    server.network.set(({ nth }) => (nth === 1 ? 'lost reply' : 'failure'));
    await placed();
    server.network.set(() => 'failure');
    setClock(new Date('2026-11-23T18:02:00.000Z'));
    expect(await ops('invoices', 'settle')).toEqual({
      code: 1,
      out: 'Invoices: 1 failed.\nMails: nothing is due.\n',
      err: '1 could not be looked after; they are due again later.\n',
    });
  });
});

describe('invoices resend', () => {
  it('sends the mail again', async () => {
    const email = newAddress();
    const { id } = await placed(email);
    expect(await ops('invoices', 'resend', String(id))).toEqual(done(`The mail of order ${id} is sent.\n`));
    expect(await server.ses.mailsTo(email)).toHaveLength(2);
  });

  it('sends an unconfirmed mail again', async () => {
    const email = newAddress();
    server.ses.mood = 'lost reply';
    const order = await placed(email);
    expect(await of(order)).toMatchObject([{ status: 'mail_unconfirmed', waiting: ['mail_unconfirmed'] }]);
    server.ses.mood = 'well';
    expect(await ops('invoices', 'resend', String(order.id), '--json')).toMatchObject({ code: 0 });
    expect(await of(order)).toMatchObject([{ status: 'issued', mail: 'sent', waiting: [] }]);
  });

  it('reports a mail that cannot be sent', async () => {
    const { id } = await placed();
    server.ses.mood = 'down';
    expect(await ops('invoices', 'resend', String(id))).toEqual(
      refused(`The mail of order ${id} is not sent but due.\n`),
    );
  });

  it.each([
    ['not issued', { zipcode: '00000' }],
    ['never requested', undefined],
  ])('refuses an order whose invoice is %s', async (_, invoicing) => {
    const { body } = await server.place(invoicing ? { invoicing } : {});
    expect(await ops('invoices', 'resend', String(body.id))).toEqual(
      refused(`Order ${body.id} has no valid invoice.\n`),
    );
  });

  it('refuses an order that does not exist, and explains a malformed id', async () => {
    expect(await ops('invoices', 'resend', '99999999')).toEqual(refused('There is no order 99999999.\n'));
    expect((await ops('invoices', 'resend', 'x')).code).toBe(2);
  });
});
