import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setClock } from '../../../shared/runtime/clock.ts';
import { quoteCatalog } from '../../support/catalogs/quote-catalog.ts';
import { republish } from '../../support/catalogs/republish.ts';
import { removeCatalogFolders } from '../../support/catalogs/small-catalog.ts';
import type { HttpAnswer } from '../../support/http/http.ts';
import { ADDRESS, orderBody } from '../../support/orders/samples.ts';
import { isFull, prove, seed, tries } from '../../support/proofs/proof.ts';
import { openServer, type TestServer } from '../../support/servers/test-server.ts';

const START = new Date('2026-11-21T18:00:00.000Z');
const LATER = new Date('2026-11-21T18:14:59.000Z');
const PATIENT = 'paciente@demo.example';

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await openServer({ settings: { CATALOG_BUCKET: 'proofs-holds' } });
  await republish(quoteCatalog(), START);
  token = await server.login('aseguradora@demo.example');
});
afterAll(async () => {
  setClock();
  removeCatalogFolders();
  await server.close();
});

type Basket = {
  readonly details: { product: number; quantity: number }[];
  readonly zipcode?: string;
  readonly store?: number;
  readonly coupon?: string;
};

const quote = async (basket: Basket) =>
  (await server.invoke('POST', '/api/orders/calculate/', { body: { ...basket, hold: true } })).body;

/** Places an order of a basket at a hold, which says the coupon. */
function place({ details, zipcode, store }: Basket, hold: string): Promise<HttpAnswer> {
  const shipping = zipcode === undefined ? undefined : { ...ADDRESS, zipcode };
  const body = orderBody(PATIENT, { details, shipping, store, hold });
  return server.invoke('POST', '/api/orders/resources/', { token, body });
}

const PRODUCTS = [1, 2, 3, 7, 8];
const centsBelow = (max: number) => fc.integer({ min: 1, max }).map((cents) => (cents / 100).toFixed(2));
const line = fc.record({ product: fc.constantFrom(...PRODUCTS), quantity: fc.integer({ min: 1, max: 9 }) });
const randomBasket: fc.Arbitrary<Basket> = fc
  .record({
    details: fc.array(line, { minLength: 1, maxLength: 8 }),
    place: fc.constantFrom({ zipcode: '12345' }, { zipcode: '15000' }, { store: 1 }),
    coupon: fc.constantFrom({}, { coupon: 'DIEZ' }, { coupon: 'GRATIS' }),
  })
  .map(({ details, place, coupon }) => ({ details, ...place, ...coupon }));

/** Catalogs with the same products at any price and rate of IVA, any price of shipping, any coupons and holidays. */
const randomCatalog = fc
  .record({
    products: fc.array(fc.record({ price: centsBelow(90_000), has_iva: fc.boolean() }), {
      minLength: 11,
      maxLength: 11,
    }),
    rate: fc.record({
      price: fc.constantFrom('99.00', '150.01', '310.99'),
      discount: centsBelow(9_900),
      cost: centsBelow(30_000),
    }),
    values: fc.tuple(fc.constantFrom('0.10', '0.333', '25.00', '1.00'), fc.constantFrom('0.00', '0.05')),
    holidays: fc.subarray(['2026-11-23', '2026-11-24', '2026-11-25', '2026-11-27', '2026-12-01']),
    days: fc.record({ min_delivery_days: fc.nat(3), max_delivery_days: fc.integer({ min: 3, max: 9 }) }),
  })
  .map(({ products, rate, values, holidays, days }) => {
    const records = quoteCatalog();
    return {
      ...records,
      products: records.products.map((one, index) => ({ ...one, ...products[index] })),
      shipping_methods: records.shipping_methods.map((one) => ({ ...one, ...days })),
      shipping_rates: [{ id: 1, shipping_method: 1, zip_from: '10000', zip_to: '19999', ...rate }],
      coupons: [
        { id: 1, code: 'DIEZ', value: values[0] },
        { id: 2, code: 'GRATIS', value: values[1], has_free_shipping: true },
      ],
      holidays: holidays.map((date) => ({ date, name: 'Inhábil' })),
    };
  });

const FIGURES = ['subtotal', 'discount', 'iva', 'total'] as const;
const SHIPPING = ['shipping_price', 'shipping_discount', 'expected_delivery_date', 'max_delivery_date'] as const;
type Answered = Record<string, string> & { details: Record<string, string>[] };

/** Returns what a quote and an order have in common. */
const pick = (answer: Answered) => ({
  ...Object.fromEntries([...FIGURES, ...SHIPPING].map((name) => [name, answer[name]])),
  details: answer.details.map((one) => Object.fromEntries(FIGURES.map((name) => [name, one[name]]))),
});

const toCents = (amount = '') => Math.round(Number(amount) * 100);
/** True if the lines of an order add up to it, in each of its figures. */
const addsUp = ({ details, ...order }: Answered): boolean =>
  FIGURES.every((name) => {
    const shipping = name === 'total' ? toCents(order.shipping_price) - toCents(order.shipping_discount) : 0;
    return details.reduce((sum, one) => sum + toCents(one[name]), shipping) === toCents(order[name]);
  });

const isSame = (one: Basket, other: Basket): boolean =>
  JSON.stringify([one.details, one.zipcode, one.store]) === JSON.stringify([other.details, other.zipcode, other.store]);

describe('random baskets', () => {
  const rounds = tries(2, 40);
  const BASKETS = 6;
  const random = <Value>(values: fc.Arbitrary<Value>, numRuns: number) => fc.sample(values, { seed: seed(), numRuns });
  const catalogs = random(randomCatalog, 2 * rounds);
  const baskets = random(randomBasket, rounds * BASKETS);

  /** Quotes baskets in one catalog and returns them with their quotes after another was published. */
  async function heldBaskets(round: number) {
    await republish(catalogs[2 * round] as ReturnType<typeof quoteCatalog>, START);
    const held = [];
    for (const basket of baskets.slice(round * BASKETS, (round + 1) * BASKETS)) {
      held.push({ basket, quoted: await quote(basket) });
    }
    await republish(catalogs[2 * round + 1] as ReturnType<typeof quoteCatalog>, LATER);
    return held;
  }

  it('are sold at their held prices to the cent, and at none of another basket', async () => {
    let [sold, mixed, dearer, lost] = [0, 0, 0, 0];
    for (let round = 0; round < rounds; round++) {
      const held = await heldBaskets(round);
      for (const { basket, quoted } of held) {
        const { status, body } = await place(basket, quoted.hold.token);
        expect([status, pick(body)]).toEqual([201, pick(quoted)]);
        expect(addsUp(body)).toBe(true);
        sold += 1;
        const today = await quote(basket);
        if (toCents(today.total) > toCents(quoted.total)) dearer += 1;
        for (const other of held.filter((one) => !isSame(one.basket, basket))) {
          const { status, body } = await place(basket, other.quoted.hold.token);
          mixed += 1;
          if (status !== 400 || Object.keys(body.order).join() !== 'hold') lost += 1;
        }
      }
    }
    // Of so many catalogs, some are dearer and some cheaper.
    if (isFull()) expect([dearer > 0, dearer < sold]).toEqual([true, true]);
    prove({ check: 'attack 18: a basket at the held price of another', tries: mixed, lost });
    prove({ check: 'attack 18: another figure than the held one, after another catalog', tries: sold });
  });
});
