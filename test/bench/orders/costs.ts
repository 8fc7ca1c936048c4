import { DEMO_USERS } from '../../../infra/local/demonstration.ts';
import { DEMO_API_KEY, registerDemoClient } from '../../../infra/local/seed.ts';
import { table } from '../../../shared/deps.ts';
import type { OrderStatus } from '../../../shared/order/rules/status.ts';
import { moveOrder } from '../../../shared/ordering/move-order.ts';
import { movePayment } from '../../../shared/payments/move-payment.ts';
import { userByEmail } from '../../../shared/people/users.ts';
import { verifyPrescription } from '../../../shared/prescriptions/judge-prescription.ts';
import { business } from '../../../shared/runtime/config.ts';
import type { Call } from '../../support/http/call.ts';
import type { HttpAnswer } from '../../support/http/http.ts';
import { INVOICING, orderBody, PDF } from '../../support/orders/samples.ts';
import type { Figure } from '../figures.ts';
import type { Metered } from '../meter.ts';
import { type Bench, createToken } from './bench.ts';

const DETAILS = { details: [1, 2, 3, 5, 7].map((product) => ({ product, quantity: 2 })) };
const EVERYDAY = { details: DETAILS.details.slice(0, 2) };
const OTHER_DETAILS = { details: [1, 2, 3, 5, 7].map((product) => ({ product, quantity: 3 })) };
const PRESCRIBED = {
  details: [4, 15, 17, 18, 19].map((product) => ({ product, quantity: 2 })),
  prescriptions: [{ document: PDF, issue_date: '2026-01-02' }],
};
const NAMES = { first_name: 'Guadalupe', last_name: 'Hernández', second_last_name: 'Ramírez' };
const ORDERS = '/api/orders/resources/';

type Bars = { readonly trips?: number; readonly writeUnits?: number };
type Subject = 'doctor' | 'insurance_employee';
type Send = (as: Subject, method: string, path: string, call?: Call) => Promise<HttpAnswer>;

/** Measures what an order of five lines costs from its creation on, with every item that its creation writes. */
export async function benchCosts(bench: Bench): Promise<Figure[]> {
  const { meter } = bench;
  const send = await openDemo(bench);
  const run = Date.now();
  let number = 0;
  const place = (as: Subject, patient: number | string, headers = {}, basket = DETAILS) => {
    const { user, order } = orderBody(`${run}-${patient}@bench.example`, basket);
    return send(as, 'POST', ORDERS, { body: { user: { ...user, ...NAMES }, order }, headers });
  };
  const placeNew = () => place('insurance_employee', ++number);
  const placed = async (): Promise<number> => (await place('insurance_employee', 1)).body.id;
  const measure = async (act: (id: number) => Promise<unknown>) => {
    await act(await placed());
    const id = await placed();
    return meter.measure(() => act(id));
  };
  const placePrescribed = async (): Promise<number> => {
    const { user, order } = orderBody(`${run}-1@bench.example`, PRESCRIBED);
    return (await send('insurance_employee', 'POST', ORDERS, { body: { user, order } })).body.id;
  };
  const measureVerification = async () => {
    const id = await placePrescribed();
    return meter.measure(() => verify(id));
  };
  const measureEveryday = async () => {
    const id = (await place('insurance_employee', 1, {}, EVERYDAY)).body.id;
    return meter.measure(() => moveTo(id, 'in_process'));
  };
  const measureDispensing = async () => {
    const id = await placePrescribed();
    await verify(id);
    await moveTo(id, 'approved');
    return meter.measure(() => moveTo(id, 'in_process'));
  };
  const patch = (id: number, body: object) => send('insurance_employee', 'PATCH', `/api/orders/${id}/`, { body });
  const at = (id: number) => `/api/orders/${id}/`;

  await placeNew();
  const ofNew = await meter.measure(placeNew);
  const known = await measure(() => place('insurance_employee', 1));
  const keyed = await measure((id) => place('insurance_employee', 1, { 'Idempotency-Key': `bench-${run}-${id}` }));
  return [
    ...toCostFigures('create an order for a new patient', ofNew, { trips: 3, writeUnits: 52 }),
    ...toItemFigures(ofNew),
    ...toCostFigures('create an order for a known patient', known, { trips: 3, writeUnits: 28 }),
    ...toCostFigures('the same with an idempotency key', keyed, { trips: 3 }),
    ...toCostFigures('the same by a doctor', await measure(() => place('doctor', 1)), { trips: 3 }),
    ...toCostFigures('replace the five lines of an order', await measure((id) => patch(id, OTHER_DETAILS)), {}),
    ...toCostFigures('cancel an order', await measure((id) => patch(id, { order_status: 'cancelled' })), MOVE),
    ...toCostFigures('move an order, as an operator', await measure((id) => moveTo(id, 'shortage')), MOVE),
    ...toCostFigures('dispense two lines', await measureEveryday(), MOVE),
    ...toCostFigures('dispense five lines', await measure((id) => moveTo(id, 'in_process')), {}),
    ...toCostFigures('record its payment', await measure(pay), MOVE),
    ...toCostFigures('verify its prescription', await measureVerification(), MOVE),
    ...toCostFigures('dispense five lines on a prescription', await measureDispensing(), {}),
    ...toCostFigures('read an order', await measure((id) => send('insurance_employee', 'GET', at(id))), { trips: 1 }),
    ...toCostFigures(
      'ask for an invoice',
      await measure((id) => send('insurance_employee', 'PATCH', `${at(id)}request-invoice/`, { body: INVOICING })),
      {},
    ),
  ];
}

const MOVE: Bars = { writeUnits: 30 };
// As long as that of an employee who has signed in through IAM Identity Center.
const OPERATOR =
  'arn:aws:sts::123456789012:assumed-role/AWSReservedSSO_Pharmacy_0123456789abcdef/ana.paz@botica.example';
const operation = () => ({ operator: OPERATOR, now: new Date() });
const deps = () => ({ table: table(), business: business(), maximumAgeDays: 180 });
const moveTo = (id: number, to: OrderStatus) => moveOrder({ id, to, ...operation() }, deps());
const pay = (id: number) => movePayment({ id, to: 'paid', form: '03', ...operation() }, deps());
const verify = (id: number) =>
  verifyPrescription({ id, prescription: undefined, prescriber: PRESCRIBER, ...ACCEPTED, ...operation() }, deps());

const ADDRESS = 'Av. Insurgentes Sur 3700, consultorio 12, Insurgentes Cuicuilco, 04530 Coyoacán, Ciudad de México';
const ACCEPTED = { age: 'accepted', copy: 'accepted' } as const;
const PRESCRIBER = { name: 'Dra. María Fernanda Villarreal Castañeda', licence: '12345678', address: ADDRESS };

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

function toCostFigures(what: string, { trips, readUnits, writeUnits }: Metered<unknown>, bars: Bars): Figure[] {
  const rows = [
    { what, value: trips, unit: 'round trips', ...(bars.trips && { bar: bars.trips }) },
    { what, value: readUnits, unit: 'read units' },
    { what, value: writeUnits, unit: 'write units', ...(bars.writeUnits && { bar: bars.writeUnits }) },
  ] as const;
  return rows.filter(({ value }) => value > 0);
}

/** Returns the write units of each kind of item. */
function toItemFigures({ written }: Metered<unknown>): Figure[] {
  const kinds = Map.groupBy(written, ({ kind }) => kind);
  return [...kinds].map(([kind, items]): Figure => {
    const value = items.reduce((sum, { units }) => sum + units, 0);
    return { what: `  of these ${items.length} × ${kind}`, value, unit: 'write units' };
  });
}
