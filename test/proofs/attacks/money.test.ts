import { beforeAll, describe, expect, it } from 'vitest';
import type { HttpAnswer } from '../../support/http/http.ts';
import { operate } from '../../support/operators/operator.ts';
import { getStoredOrder } from '../../support/orders/forced-order.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { prove, tries } from '../../support/proofs/proof.ts';
import { useServer } from '../../support/servers/test-server.ts';

const PATIENT = 'paciente@demo.example';
const server = useServer();
let token: string;
beforeAll(async () => {
  token = await server.login(PATIENT);
});

async function place(): Promise<number> {
  const answer = await server.invoke('POST', '/api/orders/resources/', { token, body: orderBody(PATIENT) });
  expect(answer.status).toBe(201);
  return answer.body.id;
}

const patch = (id: number, quantity: number): Promise<HttpAnswer> =>
  server.invoke('PATCH', `/api/orders/${id}/`, { token, body: { details: [{ product: 1, quantity }] } });
const outcome = ({ status, body }: HttpAnswer) => `${status} ${body.code ?? body.order_status}`;

describe('a payment that is recorded while its order is rewritten', () => {
  /** Records a payment while the order is rewritten; returns the sum that was paid, if it was. */
  async function race(id: number, version: readonly string[], quantity: number): Promise<string | undefined> {
    const [paid, patched] = await Promise.all([
      operate('pipe', 'orders', 'pay', String(id), '--status', 'paid', ...version, '--json'),
      patch(id, quantity),
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
      const id = await place();
      // Every other time the operator says what they have looked at: version 1, of 136.00.
      const isSaid = round % 2 === 0;
      const paid = await race(id, isSaid ? ['--version', '1'] : [], 3 + round);
      const order = await getStoredOrder(id);
      const total = (order.totalCents / 100).toFixed(2);
      if (paid !== undefined && (total !== paid || (isSaid && paid !== '136.00'))) lost += 1;
      if (order.paymentStatus === 'paid' && paid === undefined) lost += 1;
      if (paid !== undefined) paidRounds += 1;
      const again = await patch(id, 999);
      if (order.paymentStatus === 'paid' && outcome(again) !== '409 order_paid') lost += 1;
    }
    expect(paidRounds).toBeGreaterThan(0);
    prove({ check: 'attack 1: an order is rewritten while its payment is recorded', tries: rounds, lost });
  });
});
