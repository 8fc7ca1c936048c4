import { afterEach, describe, expect, it, vi } from 'vitest';
import { table } from '../../../shared/deps.ts';
import { setUserState, type UserRecord } from '../../../shared/people/users.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { prove, tries } from '../../support/proofs/proof.ts';
import { useServer } from '../../support/servers/test-server.ts';

/* `refusals` has every route with the token of somebody disabled; here the token is revoked while an order is placed. */

const server = useServer({ faults: true });
afterEach(() => server.faults.set());

const countOrders = async (): Promise<number> => (await server.asEmployee('GET', '/api/orders/')).body.count;

const place = (email: string, token: string) =>
  server.request('POST', '/api/orders/resources/', { token, body: orderBody(email) });

let people = 0;
async function registerDoctor() {
  const email = `revocada-${people++}@demo.example`;
  const user = await server.addUser(server.client, 'doctor', email);
  return { user, token: await server.login(email) };
}

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
      const { user, token } = await registerDoctor();
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
