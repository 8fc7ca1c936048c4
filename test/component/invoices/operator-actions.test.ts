import { describe, expect, it } from 'vitest';
import { setClock } from '../../../shared/runtime/clock.ts';
import { refusal as refusalOf } from '../../support/engines/facturapi-server.ts';
import { operate } from '../../support/operators/operator.ts';
import { getStoredEvents } from '../../support/orders/forced-order.ts';
import { EMPLOYEE, type InvoicingServer, useInvoicingServer } from '../../support/servers/invoicing-server.ts';

// This is noon on a Monday in Mexico City.
const NOON = new Date('2026-11-23T18:00:00.000Z');

let server: InvoicingServer;
useInvoicingServer(NOON, (opened) => {
  server = opened;
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
      status: 'awaiting_payment',
      cfdi: order.cfdi,
      total: '136.00',
      payment_method: 'PUE',
      mail: 'sent',
      waiting: [],
      complement_by: null,
      reason: null,
      reason_text: null,
      advice: [
        {
          status: 'awaiting_payment',
          meaning: {
            es: 'Está vigente y tiene que pagarse en su mes.',
            en: 'It is valid and has to be paid in its month.',
          },
          remedy: { es: 'Registre el pago en cuanto se haga.', en: 'Record the payment once it is made.' },
          commands: ['resend'],
        },
      ],
      requested_at: '2026-11-23T18:00:00.000Z',
      issued_at: '2026-11-23T18:00:00.000Z',
      // The end of November in Mexico City.
      due_at: '2026-12-01T06:00:00.000Z',
    };
    expect(await of(order)).toEqual([invoice]);
    expect(await of(order, '--status', 'awaiting_payment')).toEqual([invoice]);
    expect(await of(order, '--status', 'requested')).toEqual([]);
  });

  it('shows a complement as due once a credit order is paid, until it is handled', async () => {
    const order = await placed(newAddress(), { payment_method: 2 });
    expect(await of(order)).toMatchObject([{ status: 'issued', payment_method: 'PPD', waiting: [] }]);
    await ops('orders', 'pay', String(order.id), '--status', 'paid', '--form', '03');
    expect(await of(order)).toMatchObject([{ waiting: ['complement_due'], complement_by: '2026-12-05' }]);
    expect(await ops('orders', 'handled', String(order.id))).toEqual(
      done(`Handled of order ${order.id}: complement_due.\n`),
    );
    expect(await of(order)).toMatchObject([{ status: 'retrying', waiting: [], complement_by: null }]);
    expect(await ops('orders', 'handled', String(order.id))).toEqual(
      refused(`The invoice of order ${order.id} has no open action.\n`),
    );
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
      done(
        `${id}\t${server.client.id}\tawaiting_payment\t${cfdi}\t136.00\tPUE\tsent\t\t\t2026-11-25T18:00:00.000Z\t2026-12-01T06:00:00.000Z\n`,
      ),
    );
    const { out } = await operate('terminal', ...argv);
    expect(out).toMatch(/^order +client +status +cfdi +total +payment_method +mail +waiting +reason +requested_at/);
  });

  it('shows those that wait for a person, the most urgent first, with what to do', async () => {
    const due = await placed(newAddress(), { payment_method: 2 });
    await ops('orders', 'pay', String(due.id), '--status', 'paid', '--form', '03');
    const { body: refusedBySat } = await server.place({ invoicing: { zipcode: '00000' } });
    const waiting = await listed('--waiting');
    expect(waiting.filter(({ waiting: actions }) => Array.isArray(actions) && actions.length === 0)).toEqual([]);
    const own = waiting.filter(({ order }) => order === due.id || order === refusedBySat.id);
    expect(own).toMatchObject([
      {
        order: refusedBySat.id,
        waiting: ['not_issued'],
        reason_text: { es: 'El proveedor o el SAT rechaza sus datos.', en: 'The provider or SAT refuses its data.' },
        advice: [{ status: 'not_issued', commands: ['issue', 'handled'] }],
      },
      { order: due.id, waiting: ['complement_due'], reason_text: null, advice: [{ commands: ['handled'] }] },
    ]);
    const { out } = await ops('invoices', 'list', '--waiting', '--limit', '1000');
    expect(out).toContain(
      `${due.id}\t${server.client.id}\t136.00\tcomplement_due (2026-12-05)\t\t2026-11-23T18:00:00.000Z\tIt says paid later (PPD), and the order is paid: its complement is due by the 5th of the next month. Nothing: a job issues it. Mark it as handled if you issued it elsewhere.\n`,
    );
    expect(await ops('invoices', 'list', '--waiting', '--status', 'issued')).toMatchObject({ code: 2 });
  });

  it('explains an unknown status', async () => {
    const { code, err } = await ops('invoices', 'list', '--status', 'lost');
    expect(code).toBe(2);
    expect(err).toContain('--status: It must be one of: mail_due, requested, retrying, cancelling, not_issued,');
  });
});

describe('an invoice that says paid in its month', () => {
  const status = async (order: { id: number }) => (await of(order))[0]?.status;
  const pay = (order: { id: number }, ...more: string[]) => ops('orders', 'pay', String(order.id), '--status', ...more);

  it('and was not is listed from the end of the month on, until it is handled', async () => {
    const [unpaid, paid] = [await placed(), await placed()];
    await pay(paid, 'paid');
    setClock(new Date('2026-12-01T05:59:59.999Z'));
    await server.runAfter(0);
    expect([await status(unpaid), await status(paid)]).toEqual(['awaiting_payment', 'issued']);
    setClock(new Date('2026-12-01T06:00:00.000Z'));
    const settled = JSON.parse((await ops('jobs', 'run', 'run-due-tasks', '--json')).out).documents;
    expect(settled.pue_unpaid).toBeGreaterThanOrEqual(1);
    expect(await of(unpaid)).toMatchObject([{ status: 'pue_unpaid', waiting: ['pue_unpaid'], due_at: null }]);
    expect(await status(paid)).toBe('issued');
    // Paying in December does not make it an invoice of what was paid in November.
    await pay(unpaid, 'paid');
    expect(await status(unpaid)).toBe('pue_unpaid');
    expect(await ops('orders', 'handled', String(unpaid.id))).toEqual(
      done(`Handled of order ${unpaid.id}: pue_unpaid.\n`),
    );
    expect(await status(unpaid)).toBe('issued');
  });
});

describe('invoices issue', () => {
  const failing = () =>
    server.facturapi.script(({ method }) =>
      method === 'POST' ? refusalOf(500, 'invoice_stamping_failed') : undefined,
    );
  const lost = async () => {
    failing();
    const order = await placed();
    setClock(new Date('2026-11-27T18:00:00.000Z'));
    await server.runAfter(0);
    server.facturapi.script();
    expect(await of(order)).toMatchObject([
      { status: 'not_issued', reason: 'invoice_window_closed', waiting: ['not_issued'] },
    ]);
    return order;
  };

  it('issues an invoice after the window too, with mail and history', async () => {
    const { id } = await lost();
    expect(await ops('invoices', 'issue', String(id))).toEqual(done(`The invoice of order ${id} is issued.\n`));
    const { cfdi, version } = await server.stored(id);
    const history = await getStoredEvents(id);
    expect(server.facturapi.invoices.filter(({ id: issued }) => issued === cfdi)).toMatchObject([{ total: 136 }]);
    expect(await of({ id })).toMatchObject([{ status: 'awaiting_payment', mail: 'sent', cfdi }]);
    const told = history.slice(-3).map(({ what, by }) => [what, typeof by === 'object' && 'operator' in by]);
    expect(told).toEqual([
      ['invoice_requested', true],
      ['invoice_issued', true],
      ['invoice_mailed', true],
    ]);
    expect(await ops('invoices', 'issue', String(id), '--version', String(version - 1))).toMatchObject({
      code: 1,
      err: expect.stringContaining(`it is at version ${version} now`),
    });
    expect(await ops('invoices', 'issue', String(id))).toEqual(
      refused(`Order ${id} has nothing to be issued: it is invoiced already, by itself or in a global invoice.\n`),
    );
  });

  it('goes on waiting for an operator when it fails again, until that is handled', async () => {
    const { id } = await lost();
    failing();
    expect(await ops('invoices', 'issue', String(id))).toEqual({
      code: 1,
      out: `The invoice of order ${id} is not issued yet: the provider is not available.\n`,
      err: 'Not everything is issued.\n',
    });
    expect(await of({ id })).toMatchObject([{ status: 'not_issued', reason: 'unavailable' }]);
    await ops('orders', 'handled', String(id));
    expect(await of({ id })).toMatchObject([{ status: 'refused', waiting: [] }]);
  });

  it('names the fields of the receiver that are refused', async () => {
    const { body } = await server.place({ invoicing: { zipcode: '00000' } });
    expect(await ops('invoices', 'issue', String(body.id))).toMatchObject({
      code: 1,
      out: `The invoice of order ${body.id} is not issued: the provider refuses its data (zipcode).\n`,
    });
    expect(await of(body)).toMatchObject([{ status: 'not_issued', waiting: ['not_issued'] }]);
  });

  it.each([
    ['it is cancelled', { orderStatus: 'cancelled' }],
    ['its payment was rejected', { paymentStatus: 'rejected' }],
    ['its total is 0', { totalCents: 0 }],
    ['it is of another year', { createdAt: '2025-12-31T18:00:00.000Z' }],
  ] as const)('refuses an order because %s', async (reason, state) => {
    const { id } = await lost();
    await server.force(id, state);
    expect(await ops('invoices', 'issue', String(id))).toEqual(
      refused(`Order ${id} has nothing to be issued: ${reason}.\n`),
    );
  });

  it('issues to a corrected receiver, and refuses one where there is no invoice to issue', async () => {
    const { body } = await server.place({ invoicing: { zipcode: '00000' } });
    const issue = (...options: string[]) => ops('invoices', 'issue', String(body.id), ...options);
    expect(await issue('--fiscal-regime', '601')).toMatchObject({ code: 1, out: '' });
    expect(await issue('--zipcode', '64000', '--full-name', 'ANA PAZ')).toEqual(
      done(`The invoice of order ${body.id} is issued.\n`),
    );
    const { invoice, invoicing } = await server.stored(body.id);
    expect([invoice?.status, invoicing?.zipcode, invoicing?.full_name, invoicing?.rfc]).toEqual([
      'issued',
      '64000',
      'ANA PAZ',
      'PALA800101AB1',
    ]);
    const onCredit = await placed(newAddress(), { payment_method: 2 });
    await ops('orders', 'pay', String(onCredit.id), '--status', 'paid', '--form', '03');
    expect(await ops('invoices', 'issue', String(onCredit.id), '--zipcode', '64000')).toEqual(
      refused(
        `Order ${onCredit.id} has no invoice to be issued whose receiver could be corrected; \`invoices replace\` replaces one that is issued.\n`,
      ),
    );
  });

  it('refuses an order without a receiver, and one that does not exist', async () => {
    const { body } = await server.place();
    expect(await ops('invoices', 'issue', String(body.id))).toEqual(
      refused(
        `Order ${body.id} has nothing to be issued: nobody has asked for its invoice, so that it has no receiver.\n`,
      ),
    );
    expect(await ops('invoices', 'issue', '99999999')).toEqual(refused('There is no order 99999999.\n'));
  });
});

describe('invoices cancel', () => {
  /** Cancels an order, and answers every request to cancel its invoice with this. */
  const cancelling = async (answer: object, email = newAddress()) => {
    const order = await placed(email);
    await server.as(EMPLOYEE, 'PATCH', `/api/orders/${order.id}/`, { order_status: 'cancelled' });
    const invoice = server.facturapi.invoices.find(({ id }) => id === order.cfdi);
    server.facturapi.script(({ method }) =>
      method === 'DELETE' ? { status: 200, body: Object.assign(invoice ?? {}, answer) } : undefined,
    );
    await server.runAfter(0);
    server.facturapi.script();
    return order;
  };
  const REJECTED = { cancellation_status: 'rejected' };

  it('asks again, and the receiver is told once', async () => {
    const email = newAddress();
    const order = await cancelling(REJECTED, email);
    expect(await of(order)).toMatchObject([
      { status: 'cancellation_rejected', reason: 'rejected', waiting: ['cancellation_rejected'] },
    ]);
    expect(await ops('invoices', 'cancel', String(order.id))).toEqual(
      done(`The invoice of order ${order.id} is cancelled.\n`),
    );
    expect(await of(order)).toMatchObject([{ status: 'cancelled', waiting: [], mail: 'sent' }]);
    expect(await server.ses.mailsTo(email)).toHaveLength(2);
    expect(await ops('invoices', 'cancel', String(order.id))).toEqual(
      refused(`No cancellation of a document of order ${order.id} was rejected.\n`),
    );
  });

  it('says that a document is not cancelable', async () => {
    const order = await cancelling(REJECTED);
    server.facturapi.script(({ method }) =>
      method === 'DELETE' ? refusalOf(400, 'invoice_not_cancelable_by_sat') : undefined,
    );
    expect(await ops('invoices', 'cancel', String(order.id))).toEqual({
      code: 1,
      out: `SAT does not cancel the invoice of order ${order.id}: other valid documents refer to it, or its time to be cancelled is over.\n`,
      err: 'Not everything is cancelled.\n',
    });
    expect(await of(order)).toMatchObject([{ status: 'cancellation_rejected', reason: 'not_cancelable' }]);
  });

  it('leaves it to settling while the provider is down', async () => {
    const order = await cancelling(REJECTED);
    server.network.set(() => 'failure');
    expect(await ops('invoices', 'cancel', String(order.id))).toEqual(
      done(`The cancellation of the invoice of order ${order.id} is asked for as soon as possible.\n`),
    );
    server.network.set();
    await server.runAfter(2);
    expect(await of(order)).toMatchObject([{ status: 'cancelled' }]);
  });
});

describe('jobs run run-due-tasks', () => {
  it('does the work of the jobs, and counts it', async () => {
    const [lost, unsent] = [newAddress(), newAddress()];
    server.network.set(({ nth }) => (nth === 1 ? 'lost reply' : 'failure'));
    const first = await placed(lost);
    server.network.set();
    server.ses.mood = 'down';
    await placed(unsent);
    server.ses.mood = 'well';
    expect(await ops('jobs', 'run', 'run-due-tasks')).toEqual(
      done('documents: nothing is due\npayments: nothing is due\n'),
    );
    setClock(new Date('2026-11-23T18:02:00.000Z'));
    const { out } = await ops('jobs', 'run', 'run-due-tasks', '--json');
    expect(JSON.parse(out)).toEqual({ documents: { issued: 1, mail_sent: 1 }, payments: {} });
    expect(await of(first)).toMatchObject([{ status: 'awaiting_payment', mail: 'sent' }]);
    const mails = await Promise.all([lost, unsent].map(server.ses.mailsTo));
    expect(mails.map(({ length }) => length)).toEqual([1, 1]);
  });

  it('counts what it could not process', async () => {
    server.network.set(({ nth }) => (nth === 1 ? 'lost reply' : 'failure'));
    await placed();
    server.network.set(() => 'failure');
    setClock(new Date('2026-11-23T18:02:00.000Z'));
    expect(await ops('jobs', 'run', 'run-due-tasks')).toEqual({
      code: 1,
      out: 'documents: 1 failed\npayments: nothing is due\n',
      err: '1 failed; the job tries again.\n',
    });
  });
});

describe('a version that was looked at', () => {
  it.each([
    ['invoices', 'resend'],
    ['orders', 'handled'],
  ])('is needed by %s %s as it is now, if it is given', async (...command) => {
    server.ses.mood = 'lost reply';
    const { id } = await placed();
    server.ses.mood = 'well';
    const { version } = await server.stored(id);
    const before = await ops(...command, String(id), '--version', String(version - 1));
    expect(before).toEqual(
      refused(`Order ${id} has changed: it is at version ${version} now, not at ${version - 1}; look at it again.\n`),
    );
    expect(await ops(...command, String(id), '--version', String(version))).toMatchObject({ code: 0 });
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
    expect(await of(order)).toMatchObject([{ status: 'awaiting_payment', mail: 'sent', waiting: [] }]);
  });

  it('sends the mail of a cancellation that may not have arrived', async () => {
    const email = newAddress();
    const order = await placed(email);
    await server.as(EMPLOYEE, 'PATCH', `/api/orders/${order.id}/`, { order_status: 'cancelled' });
    server.ses.mood = 'lost reply';
    await server.runAfter(0);
    server.ses.mood = 'well';
    expect(await of(order)).toMatchObject([{ status: 'mail_unconfirmed', waiting: ['mail_unconfirmed'] }]);
    expect(await ops('invoices', 'resend', String(order.id))).toEqual(done(`The mail of order ${order.id} is sent.\n`));
    expect(await of(order)).toMatchObject([{ status: 'cancelled', mail: 'sent', waiting: [] }]);
    const subjects = (await server.ses.mailsTo(email)).map(({ subject }) => subject.split(' ')[0]);
    expect(subjects.toSorted()).toEqual(['Cancelación', 'Cancelación', 'Factura']);
    // Nothing is left to be sent of a cancelled invoice.
    expect(await ops('invoices', 'resend', String(order.id))).toEqual(
      refused(`Order ${order.id} has no valid invoice.\n`),
    );
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
