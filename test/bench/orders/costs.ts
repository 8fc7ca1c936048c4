import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DEMO_USERS } from '../../../infra/local/demonstration.ts';
import { DEMO_API_KEY, publishDemoCatalog, registerDemoClient } from '../../../infra/local/seed.ts';
import { table } from '../../../shared/deps.ts';
import type { OrderStatus } from '../../../shared/order/rules/status.ts';
import { moveOrder } from '../../../shared/ordering/move-order.ts';
import { movePayment } from '../../../shared/payments/move-payment.ts';
import { userByEmail } from '../../../shared/people/users.ts';
import { verifyPrescription } from '../../../shared/prescriptions/judge-prescription.ts';
import { business } from '../../../shared/runtime/config.ts';
import type { Call, HttpAnswer } from '../../support/http/http.ts';
import { INVOICING, orderBody, PDF } from '../../support/orders/samples.ts';
import type { Figure } from '../figures.ts';
import { type Bench, withEngines } from '../frame.ts';
import type { Metered } from '../meter.ts';
import { hashHistoryFormat } from './history.ts';
import { benchLists, createToken } from './lists.ts';

const LOCAL = join(import.meta.dirname, '../../../.local');

/** Measures what lists of long histories, new orders and single orders cost in DynamoDB, with warm handlers. */
export const benchOrders = async (): Promise<Figure[]> =>
  withEngines(await historyDirectory(), async (bench) => {
    await publishDemoCatalog();
    return [...(await benchCosts(bench)), ...(await benchLists(bench))];
  });

/** Returns the directory of the stored histories, which are reused until the stored format changes. */
async function historyDirectory(): Promise<string> {
  await mkdir(LOCAL, { recursive: true });
  const name = `bench-orders-${hashHistoryFormat()}`;
  const outdated = (await readdir(LOCAL)).filter((each) => each.startsWith('bench-orders') && each !== name);
  for (const each of outdated) await rm(join(LOCAL, each), { recursive: true });
  return join(LOCAL, name);
}

const toDetails = (products: readonly number[], quantity = 2) => ({
  details: products.map((product) => ({ product, quantity })),
});
const FIVE = [1, 2, 3, 5, 7];
const PRESCRIBED = {
  ...toDetails([4, 15, 17, 18, 19]),
  prescriptions: [{ document: PDF, issue_date: new Date().toISOString().slice(0, 10) }],
};
const NAMES = { first_name: 'Guadalupe', last_name: 'Hernández', second_last_name: 'Ramírez' };

type Bars = { readonly trips?: number; readonly writeUnits?: number };
const MOVE: Bars = { writeUnits: 30 };
type Subject = 'doctor' | 'insurance_employee';
type Send = (as: Subject, method: string, path: string, call?: Call) => Promise<HttpAnswer>;

/** Measures what an order of five lines costs from its creation on, with every item that its creation writes. */
async function benchCosts(bench: Bench): Promise<Figure[]> {
  const { meter } = bench;
  const send = await openDemo(bench);
  const run = Date.now();
  let patients = 0;
  const place = async (
    patient = 1,
    basket: object = toDetails(FIVE),
    as: Subject = 'insurance_employee',
    more = {},
  ) => {
    const { user, order } = orderBody(`${run}-${patient}@bench.example`, { ...basket });
    const body = { user: { ...user, ...NAMES }, order };
    return (await send(as, 'POST', '/api/orders/resources/', { body, ...more })).body.id as number;
  };
  const placeNew = () => place(++patients);
  /** Measures what is done with an order that is made ready for it, after doing it once with another. */
  const measure = async (act: (id: number) => Promise<unknown>, prepare: () => Promise<number> = place) => {
    await act(await prepare());
    const id = await prepare();
    return meter.measure(() => act(id));
  };
  const patch = (path: string, body: object) => send('insurance_employee', 'PATCH', `/api/orders/${path}`, { body });
  const placePrescribed = () => place(1, PRESCRIBED);
  const approved = async () => {
    const id = await placePrescribed();
    await verify(id);
    await moveTo(id, 'approved');
    return id;
  };
  const dispense = (id: number) => moveTo(id, 'in_process');
  const keyed = (id: number) => ({ headers: { 'Idempotency-Key': `bench-${run}-${id}` } });

  await placeNew();
  const ofNew = await meter.measure(placeNew);
  const acts: readonly (readonly [what: string, Metered<unknown>, Bars])[] = [
    ['create an order for a known patient', await measure(() => place()), { trips: 3, writeUnits: 28 }],
    ['the same with a key', await measure((id) => place(1, undefined, undefined, keyed(id))), { trips: 3 }],
    ['the same by a doctor', await measure(() => place(1, toDetails(FIVE), 'doctor')), { trips: 3 }],
    ['replace the five lines of an order', await measure((id) => patch(`${id}/`, toDetails(FIVE, 3))), {}],
    ['cancel an order', await measure((id) => patch(`${id}/`, { order_status: 'cancelled' })), MOVE],
    ['move an order, as an operator', await measure((id) => moveTo(id, 'shortage')), MOVE],
    ['dispense two lines', await measure(dispense, () => place(1, toDetails([1, 2]))), MOVE],
    ['dispense five lines', await measure(dispense), {}],
    ['record its payment', await measure(pay), MOVE],
    ['verify its prescription', await measure(verify, placePrescribed), MOVE],
    ['dispense five lines on a prescription', await measure(dispense, approved), {}],
    ['read an order', await measure((id) => send('insurance_employee', 'GET', `/api/orders/${id}/`)), { trips: 1 }],
    ['ask for an invoice', await measure((id) => patch(`${id}/request-invoice/`, INVOICING)), {}],
  ];
  return [
    ...toFigures('create an order for a new patient', ofNew, { trips: 3, writeUnits: 52 }),
    ...listItems(ofNew),
    ...acts.flatMap((act) => toFigures(...act)),
  ];
}

// As long as that of an employee who has signed in through IAM Identity Center.
const OPERATOR =
  'arn:aws:sts::123456789012:assumed-role/AWSReservedSSO_Pharmacy_0123456789abcdef/ana.paz@botica.example';
const operation = () => ({ operator: OPERATOR, now: new Date() });
const deps = () => ({ table: table(), business: business(), maximumAgeDays: 180 });
const moveTo = (id: number, to: OrderStatus) => moveOrder({ id, to, ...operation() }, deps());
const pay = (id: number) => movePayment({ id, to: 'paid', form: '03', ...operation() }, deps());
const ADDRESS = 'Av. Insurgentes Sur 3700, consultorio 12, Insurgentes Cuicuilco, 04530 Coyoacán, Ciudad de México';
const PRESCRIBER = { name: 'Dra. María Fernanda Villarreal Castañeda', licence: '12345678', address: ADDRESS };
const verify = (id: number) => {
  const accepted = { age: 'accepted', copy: 'accepted' } as const;
  return verifyPrescription(
    { id, prescription: undefined, prescriber: PRESCRIBER, ...accepted, ...operation() },
    deps(),
  );
};

/** Returns a function that calls the API as a user of the demonstration client. */
async function openDemo({ keys, invoke }: Bench): Promise<Send> {
  const { id: client } = await registerDemoClient(keys);
  const tokens = new Map<string, string>();
  for (const { role, email } of DEMO_USERS) {
    const user = await userByEmail(table(), client, email);
    if (user) tokens.set(role, await createToken({ client, user }));
  }
  return async (as, method, path, call) => {
    const answer = await invoke(method, path, { key: DEMO_API_KEY, token: tokens.get(as) ?? '', ...call });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer;
  };
}

function toFigures(what: string, { trips, readUnits, writeUnits }: Metered<unknown>, bars: Bars): Figure[] {
  const rows = [
    { what, value: trips, unit: 'round trips', bar: bars.trips },
    { what, value: readUnits, unit: 'read units' },
    { what, value: writeUnits, unit: 'write units', bar: bars.writeUnits },
  ];
  return rows.filter(({ value }) => value > 0);
}

/** Returns the write units of each kind of item. */
const listItems = ({ written }: Metered<unknown>): Figure[] =>
  [...Map.groupBy(written, ({ kind }) => kind)].map(([kind, items]) => {
    const value = items.reduce((sum, { units }) => sum + units, 0);
    return { what: `  of these ${items.length} × ${kind}`, value, unit: 'write units' };
  });
