import { mkdtempSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { setClock } from '../../../shared/runtime/clock.ts';
import type { HttpAnswer } from '../../support/http/http.ts';
import { operate } from '../../support/operators/operator.ts';
import { getStoredOrder } from '../../support/orders/forced-order.ts';
import { orderBody, PDF } from '../../support/orders/samples.ts';
import { prove, seed, tries } from '../../support/proofs/proof.ts';
import { randomNumbers } from '../../support/proofs/random.ts';
import { useServer } from '../../support/servers/test-server.ts';

// This is noon on a Monday in Mexico City.
const NOON = new Date('2026-11-23T18:00:00.000Z');
const PATIENT = 'paciente@demo.example';
// Products 4, 6 and 15 require a prescription, product 1 does not.
const FREE = 1;

type Line = { readonly product: number; readonly quantity: number };
const lines = (...pairs: readonly (readonly [product: number, quantity: number])[]): Line[] =>
  pairs.map(([product, quantity]) => ({ product, quantity }));

beforeAll(() => setClock(NOON));
const server = useServer();
const folder = mkdtempSync(join(tmpdir(), 'verified-'));
let token: string;
beforeAll(async () => {
  await writeFile(join(folder, 'receta.pdf'), Buffer.from(PDF, 'base64'));
  token = await server.login(PATIENT);
});
afterEach(() => setTime(NOON));

/** Sets the time, at which the patient logs in. */
async function setTime(time: Date): Promise<void> {
  setClock(time);
  token = await server.login(PATIENT);
}

/** Runs an operator's command on an order; true if it was done. */
async function ops(name: string, id: number, ...more: readonly string[]): Promise<boolean> {
  return (await operate('pipe', 'orders', name, String(id), ...more)).code === 0;
}
const must = async (name: string, id: number, ...more: readonly string[]) =>
  expect([name, await ops(name, id, ...more)]).toEqual([name, true]);
const attach = (id: number) =>
  must('attach-prescription', id, '--file', join(folder, 'receta.pdf'), '--issue-date', '2026-11-20');
const change = (id: number, details: readonly Line[]): Promise<HttpAnswer> =>
  server.invoke('PATCH', `/api/orders/${id}/`, { token, body: { details } });

async function place(details: readonly Line[], expiringDate?: string): Promise<number> {
  const prescription = {
    document: PDF,
    issue_date: '2026-11-20',
    ...(expiringDate && { expiring_date: expiringDate }),
  };
  const body = orderBody(PATIENT, { details, prescriptions: [prescription] });
  const answer = await server.invoke('POST', '/api/orders/resources/', { token, body });
  expect([answer.status, answer.body.order_status]).toEqual([201, 'pending_approval']);
  return answer.body.id;
}

/** Returns how much an order has of each product that requires a prescription. */
async function required(id: number): Promise<Map<number, number>> {
  const order = await getStoredOrder(id);
  const sums = new Map<number, number>();
  for (const { productId, quantity } of order.lines.filter(({ requiresPrescription }) => requiresPrescription)) {
    sums.set(productId, (sums.get(productId) ?? 0) + quantity);
  }
  return sums;
}

describe('any sequence of changes, verifications, approvals and days', () => {
  const PRODUCTS = [4, 6, 15, FREE];

  it('never approves or prepares more of a medicine than a pharmacist has once verified', async () => {
    const random = randomNumbers(seed());
    const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value;
    const draw = () =>
      Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({
        product: pick(PRODUCTS),
        quantity: 1 + Math.floor(random() * 4),
      }));
    const sequences = tries(2, 100);
    const steps = 25;
    let lost = 0;
    let approvals = 0;
    let done = 0;
    // A sequence may leave the order unapproved at each of its steps.
    for (; done < sequences || (approvals === 0 && done < 10 * sequences); done++) {
      await setTime(NOON);
      const id = await place(lines([4, 1 + Math.floor(random() * 3)]), pick(['2026-11-25', '2026-12-31']));
      /** The most of each product that the order has had at one of its verifications. */
      const most = new Map<number, number>();
      const verify = async () => {
        if (!(await ops('verify-prescription', id, '--accept-copy'))) return;
        for (const [product, sum] of await required(id)) most.set(product, Math.max(most.get(product) ?? 0, sum));
      };
      const moves = ['quoted', 'pending_approval', 'approved', 'in_process', 'shortage'];
      const doStep = async () => {
        const kind = pick(['change', 'change', 'verify', 'move', 'move', 'move', 'attach', 'wait']);
        if (kind === 'change') await change(id, draw());
        else if (kind === 'move') await ops('move', id, '--to', pick(moves));
        else if (kind === 'attach') await attach(id).catch(() => undefined);
        else if (kind === 'wait' && random() < 0.2) await setTime(new Date('2026-11-26T18:00:00.000Z'));
        else if (kind === 'verify') await verify();
      };
      await verify();
      await must('move', id, '--to', 'approved');
      for (let step = 0; step < steps; step++) {
        await doStep();
        const { orderStatus } = await getStoredOrder(id);
        if (orderStatus !== 'approved' && orderStatus !== 'in_process') continue;
        approvals += 1;
        const excess = [...(await required(id))].filter(([product, sum]) => sum > (most.get(product) ?? 0));
        if (excess.length > 0) lost += 1;
      }
    }
    expect(approvals).toBeGreaterThan(0);
    prove({ check: 'attack 2: random changes, verifications and approvals', tries: done * steps, lost });
  });
});
