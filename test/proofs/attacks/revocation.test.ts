import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { DEMO_PASSWORD_HASH } from '../../../infra/local/seed.ts';
import { table } from '../../../shared/deps.ts';
import { removePerson } from '../../../shared/erasure/patient-records.ts';
import { getOrder } from '../../../shared/order/orders.ts';
import { ROLES } from '../../../shared/people/rules/roles.ts';
import { setPasswordHash, setUserState, type UserRecord, userById } from '../../../shared/people/users.ts';
import { now } from '../../../shared/runtime/clock.ts';
import type { HttpAnswer } from '../../support/http/http.ts';
import { INVOICING, orderBody } from '../../support/orders/samples.ts';
import { prove, tries } from '../../support/proofs/proof.ts';
import { useServer } from '../../support/servers/test-server.ts';

const EMPLOYEE = 'aseguradora@demo.example';

const server = useServer({ faults: true });
let employee: string;
beforeAll(async () => {
  employee = await server.login(EMPLOYEE);
});
afterEach(() => server.faults.set());

/** Takes from a user what their token stands for. */
const REVOCATIONS: Readonly<Record<string, (user: UserRecord) => Promise<unknown>>> = {
  disabled: (user) => setUserState(table(), user, { state: 'disabled', now: now() }),
  'given another password': (user) => setPasswordHash(table(), user, DEMO_PASSWORD_HASH),
  erased: async ({ clientId, id }) => {
    const user = await userById(table(), clientId, id);
    expect(user && (await removePerson(table(), user))).toBe(true);
  },
};

/** Every request that needs a user, as one that would be done, one with a bad body and one for a missing order. */
const requestsOf = (email: string, order: number): [method: string, path: string, body?: object][] => [
  ['GET', '/api/orders/?limit=x'],
  ['GET', `/api/orders/${order}/`],
  ['GET', '/api/orders/99999999/'],
  ['PATCH', `/api/orders/${order}/`, { details: [{ product: 1, quantity: 9 }] }],
  ['PATCH', `/api/orders/${order}/`, { order_status: 'cancelled' }],
  ['PATCH', `/api/orders/${order}/`, {}],
  ['PATCH', '/api/orders/99999999/', { order_status: 'cancelled' }],
  ['PATCH', `/api/orders/${order}/request-invoice/`, INVOICING],
  ['PUT', `/api/orders/${order}/request-invoice/`, { invoicing: INVOICING }],
  ['POST', '/api/orders/resources/', orderBody(email)],
  ['POST', '/api/orders/resources/', {}],
];

async function countOrders(): Promise<number> {
  return (await server.request('GET', '/api/orders/', { token: employee })).body.count;
}

const place = (email: string, token: string) =>
  server.request('POST', '/api/orders/resources/', { token, body: orderBody(email) });

const isRefused = ({ status, body }: HttpAnswer): boolean => status === 401 && body.code === 'token_invalid';

let people = 0;
/** Registers a user who has a token and an order. */
async function registerUser(role: (typeof ROLES)[number]) {
  const email = `revocada-${people++}@demo.example`;
  const user = await server.addUser(server.client, role, email);
  const token = await server.login(email);
  const patient = role === 'patient' ? email : `paciente-${people}@demo.example`;
  const { body } = await place(patient, token);
  return { user, email, patient, token, order: body.id as number };
}

describe('the token of a user who was', () => {
  it.each(Object.entries(REVOCATIONS))(
    '%s is refused at once on every route, and nothing is done',
    async (how, revoke) => {
      let asked = 0;
      let letIn = 0;
      for (let round = 0; round < tries(1, 20); round++) {
        for (const role of ROLES) {
          const { user, patient, token, order } = await registerUser(role);
          const before = await getOrder(table(), { clientId: server.client.id, id: order });
          const count = await countOrders();
          await revoke(user);
          const answers = await Promise.all(
            requestsOf(patient, order).map(([method, path, body]) =>
              server.request(method, path, { token, ...(body && { body }) }),
            ),
          );
          asked += answers.length;
          letIn += answers.filter((answer) => !isRefused(answer)).length;
          expect(await getOrder(table(), { clientId: server.client.id, id: order })).toEqual(before);
          expect(await countOrders()).toBe(count);
        }
      }
      prove({ check: `attack 9: a token of somebody ${how} is used`, tries: asked, lost: letIn });
    },
  );
});

/** Makes the first read of a single item, which is that of the caller, fail or wait for the revocation of their token. */
const LATE_REFUSALS: Readonly<Record<string, (user: UserRecord) => void>> = {
  'cannot be checked': () => server.faults.set(({ operation }) => (operation === 'GetItem' ? 'failure' : undefined)),
  'is revoked before it is checked': (user) => {
    const kill = async () => {
      await vi.waitUntil(() => (server.faults.calls().BatchGetItem ?? 0) > 0, { timeout: 10_000 });
      await setUserState(table(), user, { state: 'disabled', now: now() });
    };
    server.faults.set(({ operation, nth }) =>
      operation === 'GetItem' && nth === 1 ? { kill, moment: 'before' as const } : undefined,
    );
  },
};

describe('an order whose token', () => {
  it.each(Object.entries(LATE_REFUSALS))('%s is refused and not stored', async (how, refuse) => {
    const rounds = tries(1, 20);
    let stored = 0;
    for (let round = 0; round < rounds; round++) {
      const { user, token } = await registerUser('doctor');
      const count = await countOrders();
      refuse(user);
      const { status } = await place(`nueva-${people}@demo.example`, token);
      server.faults.set();
      expect(status).toBe(how === 'cannot be checked' ? 503 : 401);
      stored += (await countOrders()) - count;
    }
    prove({ check: `attack 9: an order is placed with a token that ${how}`, tries: rounds, lost: stored });
  });
});
