import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WAITING } from '../../../infra/api/examples/examples.ts';
import { routes } from '../../../shared/api/routes.ts';
import { bodyFields, type Place, withValue } from '../../support/hostile/body-fields.ts';
import { nameOf, WHOLE_BODIES } from '../../support/hostile/whole-bodies.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await openTestServer();
  token = await server.login('aseguradora@demo.example');
});
afterAll(() => server.close());

// An order of its own for every request, because an order is invoiced and cancelled only once.
async function placeOrder(body: object = orderBody('nula@example.mx')): Promise<number> {
  return (await server.invoke('POST', '/api/orders/resources/', { token, body })).body.id;
}

async function ask({ method, path }: (typeof routes)[number], body: object) {
  const id = path.includes('{id}') ? await placeOrder(path.includes('prescriptions') ? WAITING.body : undefined) : 0;
  const answer = await server.invoke(method, path.replace('{id}', String(id)), { token, body });
  return { status: answer.status, body: withoutChance(answer.body) };
}

/** Replaces what differs between two requests that are the same: ids, times, numbers of orders and invoices, tokens. */
const withoutChance = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body), (name, value) => {
    if (typeof value === 'number' && name !== 'quantity') return 'number';
    if (typeof value === 'string' && /^(\d{4}-\d\d-\d\dT|RX-|https?:|eyJ)/.test(value)) return 'text';
    return name === 'cfdi' && value !== '' ? 'invoice' : value;
  });

// One of its two forms must be there; the test below has both.
const NEEDED = 'PATCH /api/orders/{id}/ details';

const cases = routes.flatMap((route) => {
  const { body } = route.contract;
  const sample = WHOLE_BODIES[nameOf(route)];
  if (!body || !sample) return [];
  const places = bodyFields(body)
    .filter(({ place, isRequired }) => !isRequired && typeof place.at(-1) === 'string')
    .map(({ place }) => place)
    .filter((place) => `${nameOf(route)} ${place.join('.')}` !== NEEDED);
  const isWithin = (inner: Place, outer: Place) => inner !== outer && outer.every((step, at) => inner[at] === step);
  const [whole, single] = [true, false].map((isWhole) =>
    places.filter((place) => places.some((other) => isWithin(other, place)) === isWhole),
  ) as [Place[], Place[]];
  return [single, ...whole.map((place) => [place])]
    .filter((fields) => fields.length > 0)
    .map((fields) => ({
      name: `${nameOf(route)} ${fields.map((place) => place.join('.')).join(', ')}`,
      route,
      absent: fields.reduce<object>((filled, place) => withValue(filled, place, undefined), sample),
      none: fields.reduce<object>((filled, place) => withValue(filled, place, null), sample),
    }));
});

// `contract/bounds` has each field by itself.
describe('nulls for the fields that may be left out', () => {
  it.each(cases)('are answered as if they were: $name', async ({ route, absent, none }) => {
    const answer = await ask(route, none);
    expect(answer).toEqual(await ask(route, absent));
    expect(answer.status).toBeLessThan(300);
  });

  it('leaves the other one of two forms', async () => {
    const path = async () => `/api/orders/${await placeOrder()}/`;
    const details = [{ product: 2, quantity: 1 }];
    const bodies = [
      { details, order_status: null },
      { details: null, order_status: 'cancelled' },
      { details: null, order_status: null },
    ];
    const answers = await Promise.all(
      bodies.map(async (body) => server.invoke('PATCH', await path(), { token, body })),
    );
    expect(answers.map(({ status, body }) => [status, body.order_status])).toEqual([
      [200, 'approved'],
      [200, 'cancelled'],
      [400, undefined],
    ]);
  });

  it('does not remove what is stored', async () => {
    const known = { email: 'guardada@example.mx', first_name: 'Ana', last_name: 'Paz', sex: 'F' };
    const user = { ...known, second_last_name: 'Luna', birthdate: '1980-01-01', medical_condition: 'Asma' };
    const nulls = { ...known, sex: null, second_last_name: null, birthdate: null, medical_condition: null };
    await server.invoke('POST', '/api/orders/resources/', { token, body: { ...orderBody(known.email), user } });
    const { status, body } = await server.invoke('POST', '/api/orders/resources/', {
      token,
      body: { ...orderBody(known.email), user: nulls },
    });
    expect(status).toBe(201);
    expect(body.patient.user).toMatchObject(user);
  });
});
