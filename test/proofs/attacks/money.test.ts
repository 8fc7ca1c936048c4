import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { table } from '../../../shared/deps.ts';
import type { OrderStatus, PaymentStatus } from '../../../shared/domain/order.ts';
import type { Order } from '../../../shared/store/orders/order.ts';
import { changeOrderWrites } from '../../../shared/store/orders/order-writes.ts';
import type { HttpAnswer } from '../../support/http/http.ts';
import { operate } from '../../support/operators/operator.ts';
import { forceVersion } from '../../support/orders/forced-order.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { prove, someOf, tries } from '../../support/proofs/proof.ts';
import { storedOrder } from '../../support/servers/crash-server.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

const PATIENT = 'paciente@demo.example';
/** Writes an order in a state, whatever its moves allow. */
async function forceOrder(id: number, state: Partial<Order>): Promise<Order> {
  const before = await storedOrder(id);
  const after = forceVersion(before, state);
  await table().transact(changeOrderWrites(before, after));
  return after;
}

type Who = 'patient' | 'doctor' | 'employee';

let server: TestServer;
let tokens: Record<Who, string>;
beforeAll(async () => {
  server = await openTestServer();
  tokens = await server.loginDemoUsers();
});
afterAll(() => server.close());

async function place(by: Who, email = PATIENT): Promise<number> {
  const answer = await server.invoke('POST', '/api/orders/resources/', { token: tokens[by], body: orderBody(email) });
  expect(answer.status).toBe(201);
  return answer.body.id;
}

const patch = (by: Who, id: number, body: object): Promise<HttpAnswer> =>
  server.invoke('PATCH', `/api/orders/${id}/`, { token: tokens[by], body });
const outcome = ({ status, body }: HttpAnswer) => `${status} ${body.code ?? body.order_status}`;

const REWRITES = [
  [{ product: 1, quantity: 32_767 }],
  [{ product: 1, quantity: 1 }],
  [{ product: 1, quantity: 2 }],
  [{ product: 121, quantity: 349 }],
  Array.from({ length: 50 }, () => ({ product: 5, quantity: 27 })),
];

type Seeing = { readonly placer: Who; readonly caller: Who };
/** Everybody who sees an order of the patient, by who placed it. */
const SEEING: readonly Seeing[] = (['patient', 'doctor', 'employee'] as const).flatMap((placer) =>
  (['patient', 'doctor', 'employee'] as const)
    .filter((caller) => caller !== 'doctor' || placer === 'doctor')
    .map((caller) => ({ placer, caller })),
);
const isResponsible = ({ placer, caller }: Seeing) => caller === 'employee' || caller === placer;

describe('an order that is paid or being paid', () => {
  const CLOSED = ['paid', 'processing', 'in_process'] as const;
  const bodies = REWRITES.slice(0, tries(1, REWRITES.length));
  const statuses = someOf(['quoted', 'approved'] as const, 1, 1);

  /** Tries every rewriting and returns how many came through. */
  async function rewrite(id: number, by: Who, paymentStatus: PaymentStatus): Promise<number> {
    let lost = 0;
    for (const orderStatus of statuses) {
      for (const details of bodies) {
        const before = await forceOrder(id, { orderStatus, paymentStatus });
        const answer = await patch(by, id, { details });
        const after = await storedOrder(id);
        if (answer.status !== 409 || after.version !== before.version) lost += 1;
        else expect(answer.body.code).toBe('order_paid');
      }
    }
    return lost;
  }

  it('keeps its products and its sum, whoever asks', async () => {
    let lost = 0;
    let tried = 0;
    for (const seeing of SEEING) {
      const id = await place(seeing.placer);
      const closed = isResponsible(seeing) ? CLOSED : [...CLOSED, 'credit' as const];
      for (const status of closed) {
        lost += await rewrite(id, seeing.caller, status);
        tried += statuses.length * bodies.length;
      }
    }
    prove({ check: 'attack 1: a paid order, or one being paid, is rewritten', tries: tried, lost });
  });

  it('is another matter while it is unpaid or rejected, or on the credit of who asks', async () => {
    for (const seeing of SEEING) {
      const id = await place(seeing.placer);
      const open = ['unpaid', 'rejected', ...(isResponsible(seeing) ? (['credit'] as const) : [])] as const;
      for (const paymentStatus of open) {
        await forceOrder(id, { paymentStatus });
        const answer = await patch(seeing.caller, id, { details: [{ product: 1, quantity: 3 }] });
        expect([seeing, paymentStatus, answer.status, answer.body.total]).toEqual([
          seeing,
          paymentStatus,
          200,
          '164.50',
        ]);
      }
    }
  });
});

describe('an order on credit', () => {
  const CANCELLABLE: readonly OrderStatus[] = ['quoted', 'pending_approval', 'approved', 'shortage'];

  it('is cancelled by an employee or by who placed it, and by nobody else', async () => {
    let lost = 0;
    let tried = 0;
    for (const [index, seeing] of SEEING.entries()) {
      for (const orderStatus of someOf(CANCELLABLE, index, 1)) {
        const id = await place(seeing.placer);
        await forceOrder(id, { orderStatus, paymentStatus: 'credit' });
        const answer = await patch(seeing.caller, id, { order_status: 'cancelled' });
        if (isResponsible(seeing)) expect([seeing, outcome(answer)]).toEqual([seeing, '200 cancelled']);
        else {
          tried += 1;
          if (outcome(answer) !== '409 order_on_credit') lost += 1;
          expect((await storedOrder(id)).orderStatus).toBe(orderStatus);
        }
      }
    }
    prove({ check: "attack 1: somebody else's order on credit is cancelled", tries: tried, lost });
  });

  it('is cancelled by everybody once it is paid, and waits for its refund', async () => {
    for (const { placer, caller } of someOf(SEEING, 0, 3)) {
      const id = await place(placer);
      await forceOrder(id, { paymentStatus: 'paid' });
      expect(outcome(await patch(caller, id, { order_status: 'cancelled' }))).toBe('200 cancelled');
      const { out } = await operate('pipe', 'orders', 'list', '--refund-due', '--limit', '5000', '--json');
      const newest = JSON.parse(out).orders.at(-1);
      expect(newest).toMatchObject({ id, order_status: 'cancelled', payment_status: 'paid' });
    }
  });
});

describe('a payment that is recorded while its order is rewritten', () => {
  /** Records a payment while the order is rewritten; returns the sum that was paid, if it was. */
  async function race(id: number, version: readonly string[], quantity: number): Promise<string | undefined> {
    const [paid, patched] = await Promise.all([
      operate('pipe', 'orders', 'pay', String(id), '--status', 'paid', ...version, '--json'),
      patch('patient', id, { details: [{ product: 1, quantity }] }),
    ]);
    if (paid.code !== 0) expect(outcome(patched)).toBe('200 approved');
    else expect(outcome(patched)).toMatch(/^(200 approved|409 order_(paid|changed_meanwhile))$/);
    return paid.code === 0 ? JSON.parse(paid.out).total : undefined;
  }

  it('is that of the sum that the operator has seen, and no other', async () => {
    const rounds = tries(8, 300);
    let lost = 0;
    let paidRounds = 0;
    for (let round = 0; round < rounds; round++) {
      const id = await place('patient');
      // Every other time the operator says what they have looked at: version 1, of 136.00.
      const isSaid = round % 2 === 0;
      const paid = await race(id, isSaid ? ['--version', '1'] : [], 3 + round);
      const order = await storedOrder(id);
      const total = (order.totalCents / 100).toFixed(2);
      if (paid !== undefined && (total !== paid || (isSaid && paid !== '136.00'))) lost += 1;
      if (order.paymentStatus === 'paid' && paid === undefined) lost += 1;
      if (paid !== undefined) paidRounds += 1;
      const again = await patch('patient', id, { details: [{ product: 1, quantity: 999 }] });
      if (order.paymentStatus === 'paid' && outcome(again) !== '409 order_paid') lost += 1;
    }
    expect(paidRounds).toBeGreaterThan(0);
    prove({ check: 'attack 1: an order is rewritten while its payment is recorded', tries: rounds, lost });
  });

  it('is refused once the order is another one than the operator has looked at', async () => {
    const id = await place('patient');
    await patch('patient', id, { details: [{ product: 1, quantity: 900 }] });
    expect(await operate('pipe', 'orders', 'pay', String(id), '--status', 'paid', '--version', '1')).toEqual({
      code: 1,
      out: '',
      err: `Order ${id} has changed: it is at version 2 now, not at 1; look at it again.\n`,
    });
    expect((await storedOrder(id)).paymentStatus).toBe('unpaid');
  });
});
