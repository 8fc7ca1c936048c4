import { beforeAll, describe, expect, it } from 'vitest';
import type { Order } from '../../shared/api/orders/orders.ts';
import { createdPartition, parseCreationKey } from '../../shared/store/keys.ts';
import { openTable } from '../../shared/store/table.ts';
import { unluckyTransactions } from '../support/faults/transaction-faults.ts';
import type { Call } from '../support/http/call.ts';
import type { HttpAnswer } from '../support/http/http.ts';
import { manyAtOnce } from '../support/load/many-at-once.ts';
import { orderBody } from '../support/orders/samples.ts';
import { countByStatuses, countStoredOrders } from '../support/orders/stored-counts.ts';
import { prove, seed, tries } from '../support/proofs/proof.ts';
import { useServer } from '../support/servers/test-server.ts';

const ORDERS = tries(50, 2_000);
// More would only queue in the local database engine, which runs one transaction at a time.
const AT_ONCE = 32;

const server = useServer({ faults: true });
let tokens: Record<'employee' | 'doctor', string>;
let doctorId: number;
beforeAll(async () => {
  tokens = {
    employee: await server.login('aseguradora@demo.example'),
    doctor: await server.login('doctora@demo.example'),
  };
  doctorId = (await place({ body: orderBody('first@example.mx'), token: tokens.doctor })).body.generated_by.id;
});

const place = (call: Call) => server.request('POST', '/api/orders/resources/', { token: tokens.employee, ...call });
const see = (id: number, token: string) => server.request('GET', `/api/orders/${id}/`, { token });

const cents = (amount: string) => Math.round(Number(amount) * 100);
const sumLines = (order: Order, figure: 'subtotal' | 'discount' | 'iva' | 'total') =>
  order.details.reduce((sum, line) => sum + cents(line[figure]), 0);

describe('concurrent orders without keys, when 30 % of transactions conflict, 10 % lose their reply and 5 % are forgotten', () => {
  // The totals are computed by hand, each with 79.00 of shipping: 2 × 28.50; 249.00 and its IVA of 39.84;
  // 3 × 64.50 and 72.00 with its IVA of 11.52.
  const BASKETS = [
    { details: [{ product: 1, quantity: 2 }], total: '136.00' },
    { details: [{ product: 121, quantity: 1 }], total: '367.84' },
    {
      details: [
        { product: 5, quantity: 3 },
        { product: 122, quantity: 1 },
      ],
      total: '356.02',
    },
  ] as const;
  const PATIENTS = tries(25, 50);
  const chooseBasket = (index: number) => BASKETS[index % BASKETS.length] as (typeof BASKETS)[number];
  const chooseToken = (index: number) => (index % 2 === 0 ? tokens.employee : tokens.doctor);

  let answers: HttpAnswer[];
  let before: number;
  let faults: number;
  beforeAll(async () => {
    before = await countStoredOrders();
    server.faults.set(unluckyTransactions(seed(), { conflict: 0.3, lostReply: 0.1, forgotten: 0.05 }));
    answers = await manyAtOnce(ORDERS, AT_ONCE, (index) => {
      const body = orderBody(`crowd-${index % PATIENTS}@example.mx`, { details: chooseBasket(index).details });
      return place({ token: chooseToken(index), body });
    });
    faults = server.faults.injected();
  }, 3_600_000);

  it('are all placed exactly once', async () => {
    expect(
      Map.groupBy(answers, ({ status }) => status)
        .keys()
        .toArray(),
    ).toEqual([201]);
    const ids = answers.map(({ body }) => body.id);
    expect(new Set(ids).size).toBe(ORDERS);
    prove({
      check: 'Races: concurrent orders under conflicts and lost replies',
      tries: ORDERS,
      faults,
      lost: Math.abs((await countStoredOrders()) - (before + ORDERS)),
    });
    const entries = await openTable().all({ pk: createdPartition(server.client.id, 'client') });
    expect(entries.map(({ sk }) => parseCreationKey(String(sk)).order)).toEqual(expect.arrayContaining(ids));
    expect(entries).toHaveLength(before + ORDERS);
  });

  it('can all be read, with amounts that match their lines', async () => {
    await manyAtOnce(ORDERS, AT_ONCE, async (index) => {
      const { details, total } = chooseBasket(index);
      const { body } = await see(answers[index]?.body.id, chooseToken(index));
      const order: Order = body;
      expect(order).toEqual(answers[index]?.body);
      expect(order.details.map(({ product, quantity }) => ({ product: product.id, quantity }))).toEqual(details);
      expect(order.total).toBe(total);
      for (const figure of ['subtotal', 'discount', 'iva'] as const) {
        expect(sumLines(order, figure)).toBe(cents(order[figure]));
      }
      expect(sumLines(order, 'total') + 7_900).toBe(cents(order.total));
    });
  });

  it('are all counted exactly once in each of their views', async () => {
    expect(await countByStatuses(server.client.id, 'client')).toEqual({ 'approved unpaid': before + ORDERS });
    expect(await countByStatuses(server.client.id, `doctor#${doctorId}`)).toEqual({
      'approved unpaid': ORDERS / 2 + 1,
    });
    const patients = new Set<number>(answers.map(({ body }) => body.patient.id));
    expect(patients.size).toBe(PATIENTS);
    for (const patient of patients) {
      expect(await countByStatuses(server.client.id, `patient#${patient}`)).toEqual({
        'approved unpaid': ORDERS / PATIENTS,
      });
    }
  });
});
