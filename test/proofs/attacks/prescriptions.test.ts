import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { setClock } from '../../../shared/runtime/clock.ts';
import { randomNumbers } from '../../support/faults/transaction-faults.ts';
import type { HttpAnswer } from '../../support/http/http.ts';
import { operate } from '../../support/operators/operator.ts';
import { orderBody, PDF } from '../../support/orders/samples.ts';
import { prove, seed, someOf, tries } from '../../support/proofs/proof.ts';
import { storedOrder } from '../../support/servers/crash-server.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

// This is noon on a Monday in Mexico City.
const NOON = new Date('2026-11-23T18:00:00.000Z');
const PATIENT = 'paciente@demo.example';
// Products 4, 6 and 15 require a prescription, product 1 does not.
const OTHERS = [6, 8, 11, 15, 17, 18, 21];
const FREE = 1;

type Line = { readonly product: number; readonly quantity: number };
const lines = (...pairs: readonly (readonly [product: number, quantity: number])[]): Line[] =>
  pairs.map(([product, quantity]) => ({ product, quantity }));
const VERIFIED = lines([4, 2], [FREE, 1]);

let server: TestServer;
let folder: string;
let token: string;
beforeAll(async () => {
  setClock(NOON);
  server = await openTestServer();
  folder = await mkdtemp(join(tmpdir(), 'verified-'));
  await writeFile(join(folder, 'receta.pdf'), Buffer.from(PDF, 'base64'));
  token = await server.login(PATIENT);
});
afterEach(() => setTime(NOON));
afterAll(async () => {
  setClock();
  await rm(folder, { recursive: true, force: true });
  await server.close();
});

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

async function place(details: readonly Line[], prescriptions: number, expiringDate?: string): Promise<number> {
  const prescription = {
    document: PDF,
    issue_date: '2026-11-20',
    ...(expiringDate && { expiring_date: expiringDate }),
  };
  const body = orderBody(PATIENT, {
    details,
    prescriptions: Array.from({ length: prescriptions }, () => prescription),
  });
  const answer = await server.invoke('POST', '/api/orders/resources/', { token, body });
  expect([answer.status, answer.body.order_status]).toEqual([201, 'pending_approval']);
  return answer.body.id;
}

/** Places an order of VERIFIED that is verified and approved. */
async function approved(prescriptions = 1, expiringDate?: string): Promise<number> {
  const id = await place(VERIFIED, prescriptions, expiringDate);
  await must('verify-prescription', id);
  await must('move', id, '--to', 'approved');
  return id;
}

/** Returns how much an order has of each product that requires a prescription. */
async function required(id: number): Promise<Map<number, number>> {
  const order = await storedOrder(id);
  const sums = new Map<number, number>();
  for (const { productId, quantity } of order.lines.filter(({ requiresPrescription }) => requiresPrescription)) {
    sums.set(productId, (sums.get(productId) ?? 0) + quantity);
  }
  return sums;
}

/** The details by which somebody gets another medicine than the verified one, or more of it. */
const GREEDY: readonly (readonly Line[])[] = [
  ...OTHERS.map((product) => lines([product, 1])),
  ...OTHERS.map((product) => lines([4, 1], [product, 32_767])),
  ...[3, 4, 100, 32_767].map((quantity) => lines([4, quantity])),
  lines([4, 1], [4, 2]),
  lines([4, 2], [FREE, 1], [4, 1]),
  lines([4, 0], [4, 3]),
  lines([4, 2], [4, 2]),
  Array.from({ length: 50 }, () => ({ product: 4, quantity: 1 })),
  Array.from({ length: 50 }, (_, index) => ({ product: index % 2 ? 4 : 15, quantity: 32_767 })),
];
const MODEST: readonly (readonly Line[])[] = [
  VERIFIED,
  lines([4, 1]),
  lines([4, 1], [4, 1]),
  lines([FREE, 500], [4, 2]),
  lines([FREE, 1]),
];

describe('an approved order', () => {
  it.each([
    ['one prescription', 1, 0],
    ['two prescriptions for the same lines', 2, 1],
    ['ten prescriptions for the same lines', 10, 2],
  ])('verified by %s gets no other medicine and no more of it', async (_, prescriptions, place) => {
    const id = await approved(prescriptions);
    if (prescriptions < 10) await attach(id);
    const asked = someOf(GREEDY, place, 5);
    let lost = 0;
    for (const details of asked) {
      const { status, body } = await change(id, details);
      if (status !== 400) lost += 1;
      else expect(body.details).toContainEqual({ product: [expect.any(String)] });
      if (((await required(id)).get(4) ?? 0) > 2 || (await required(id)).size > 1) lost += 1;
      if (status === 200) await change(id, VERIFIED);
    }
    for (const details of MODEST) expect((await change(id, details)).status).toBe(200);
    prove({ check: 'attack 2: another medicine than was verified, or more of it', tries: asked.length, lost });
  });

  it('that never needed a prescription gets no medicine that does', async () => {
    const body = orderBody(PATIENT, { prescriptions: [{ document: PDF, issue_date: '2026-11-20' }] });
    const { id } = (await server.invoke('POST', '/api/orders/resources/', { token, body })).body;
    const asked = someOf(GREEDY, 4, 6);
    let lost = 0;
    for (const isVerified of [false, true]) {
      if (isVerified) await must('verify-prescription', id);
      for (const details of asked) if ((await change(id, details)).status !== 400) lost += 1;
    }
    prove({ check: 'attack 2: a medicine for a prescription without it', tries: 2 * asked.length, lost });
  });

  it('gets and sends nothing by a prescription that has expired', async () => {
    const id = await approved(1, '2026-11-24');
    await setTime(new Date('2026-11-25T06:00:00.000Z'));
    const asked = [...someOf(GREEDY, 3, 6), ...MODEST.slice(0, 4)];
    let lost = 0;
    for (const details of asked) if ((await change(id, details)).status !== 400) lost += 1;
    if (await ops('move', id, '--to', 'in_process')) lost += 1;
    await must('move', id, '--to', 'quoted');
    if (await ops('move', id, '--to', 'approved')) lost += 1;
    if (await ops('verify-prescription', id)) lost += 1;
    if (await ops('move', id, '--to', 'approved')) lost += 1;
    prove({ check: 'attack 2: a medicine by an expired prescription', tries: asked.length + 4, lost });
  });
});

describe('a quoted order', () => {
  it('is not approved with what was not verified, by either way', async () => {
    const asked = someOf(GREEDY, 5, 3);
    let lost = 0;
    for (const details of asked) {
      const id = await approved();
      await must('move', id, '--to', 'quoted');
      expect((await change(id, details)).status).toBe(200);
      await attach(id);
      const isApproved = await ops('move', id, '--to', 'approved');
      await ops('move', id, '--to', 'pending_approval');
      if (isApproved || (await ops('move', id, '--to', 'approved'))) lost += 1;
    }
    prove({ check: 'attack 2: lines changed after verification, then approval', tries: asked.length, lost });
  });

  it('is approved once its present lines are verified, and then holds those alone', async () => {
    const id = await approved();
    await must('move', id, '--to', 'quoted');
    await change(id, lines([15, 3]));
    await must('verify-prescription', id);
    await must('move', id, '--to', 'approved');
    expect((await change(id, lines([15, 4]))).status).toBe(400);
    expect((await change(id, lines([4, 1]))).status).toBe(400);
    expect((await change(id, lines([15, 3], [FREE, 9]))).status).toBe(200);
    await must('move', id, '--to', 'in_process');
  });

  it('is neither verified nor approved with lines that the pharmacist has not seen', async () => {
    const rounds = tries(6, 100);
    let lost = 0;
    for (let round = 0; round < rounds; round++) {
      const id = await place(VERIFIED, 1);
      await must('move', id, '--to', 'quoted');
      const greedy = lines([4, 2 + round], [15, 1 + round]);
      const { version } = await storedOrder(id);
      const verify = () => ops('verify-prescription', id, '--version', String(version));
      const approve = () => ops('move', id, '--to', 'approved');
      // The change meets the verification in one round, and the approval in the next.
      if (round % 2) await verify();
      await Promise.all([round % 2 ? approve() : verify(), change(id, greedy)]);
      await approve();
      const { orderStatus } = await storedOrder(id);
      if (orderStatus === 'approved' && (await required(id)).has(15)) lost += 1;
    }
    prove({ check: 'attack 2: lines changed while they are verified or approved', tries: rounds, lost });
  });
});

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
    const sequences = tries(1, 100);
    const steps = 25;
    let lost = 0;
    let approvals = 0;
    let done = 0;
    // A sequence may leave the order unapproved at each of its steps.
    for (; done < sequences || (approvals === 0 && done < 10 * sequences); done++) {
      await setTime(NOON);
      const id = await place(lines([4, 1 + Math.floor(random() * 3)]), 1, pick(['2026-11-25', '2026-12-31']));
      /** The most of each product that the order has had at one of its verifications. */
      const most = new Map<number, number>();
      const verify = async () => {
        if (!(await ops('verify-prescription', id))) return;
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
        const { orderStatus } = await storedOrder(id);
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
