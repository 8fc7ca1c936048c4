import { createHook } from 'node:async_hooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { loadHandler } from '../../../infra/local/gateway/invocation.ts';
import { DEMO_PASSWORD, DEMO_PASSWORD_HASH } from '../../../infra/local/seed.ts';
import { ids, table } from '../../../shared/deps.ts';
import { createUser } from '../../../shared/people/users.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import type { HttpAnswer } from '../../support/http/http.ts';
import { manyAtOnce } from '../../support/load/many-at-once.ts';
import { isFull, prove, tries } from '../../support/proofs/proof.ts';
import { useServer } from '../../support/servers/test-server.ts';

const START = new Date('2026-11-22T18:00:00.000Z');
const HOME = '203.0.113.7';
const AT_ONCE = 25;
const PER_ADDRESS = 10;
const PER_ACCOUNT = 50;
// The hash of DEMO_PASSWORD with 8 KiB and one pass: a guess takes no time in a quick run, and is counted all the same.
const CHEAP_HASH = '$argon2id$v=19$m=8,t=1,p=1$BwcHBwcHBwcHBwcHBwcHBw$S5El9OJSpyT9ose14BeyPuojXEtQQgdLwZ6fipK11U8';

/** The header that holds the address of a caller, since loopback gives all callers one. */
const SOURCE_HEADER = 'X-Source';
const loadWithSource: typeof loadHandler = async (file) => {
  const handler = await loadHandler(file);
  return (event, context) => {
    event.requestContext.identity.sourceIp = event.headers[SOURCE_HEADER] ?? '127.0.0.1';
    return handler(event, context);
  };
};

const server = useServer({ gateway: { loadHandler: loadWithSource } });
let hashed = 0;
// Node reports each password hash of this process to the hook, whichever code requests it.
const hook = createHook({
  init(_, type) {
    if (type === 'ARGON2REQUEST') hashed += 1;
  },
});
beforeAll(() => void hook.enable());
afterEach(() => setClock());
afterAll(() => void hook.disable());

const login = (email: string, password: string, source: string): Promise<HttpAnswer> =>
  server.request('POST', '/api/token/', { body: { email, password }, headers: { [SOURCE_HEADER]: source } });

let owners = 0;
async function addOwner(passwordHash: string | null = isFull() ? DEMO_PASSWORD_HASH : CHEAP_HASH): Promise<string> {
  const email = `duena-${owners++}@demo.example`;
  const names = { firstName: 'Ana', lastName: 'Prueba', secondLastName: null, phone: '' };
  const owner = { ...names, role: 'patient', email, clientId: server.client.id, passwordHash } as const;
  await createUser(table(), ids(), owner, new Date());
  return email;
}

/** Guesses a password many times at once and returns how many guesses reached the hash. */
async function guess(email: string, count: number, toSource: (index: number) => string): Promise<number> {
  const before = hashed;
  await manyAtOnce(count, AT_ONCE, async (index) => {
    expect([401, 429]).toContain((await login(email, `guess-${index}`, toSource(index))).status);
  });
  return hashed - before;
}

describe('a stranger who guesses', () => {
  // `component/http/access` has the limits one by one.
  it('gets 10 guesses at one address and 50 at all, however many come at once', async () => {
    setClock(START);
    const email = await addOwner();
    expect(await guess(email, 20, () => '198.51.100.1')).toBe(PER_ADDRESS);
    expect((await login(email, DEMO_PASSWORD, HOME)).status).toBe(200);
    const guesses = tries(55, 1_000);
    const reached = await guess(email, guesses, (index) => `198.18.${index >> 8}.${index & 255}`);
    expect(reached).toBe(PER_ACCOUNT - PER_ADDRESS);
    const locked = await login(email, DEMO_PASSWORD, HOME);
    expect([locked.status, locked.body.code, locked.headers['retry-after']]).toEqual([429, 'too_many_attempts', '900']);
    prove({
      check: 'attack 7: guesses at one account from many addresses',
      tries: guesses,
      lost: Math.max(0, reached + PER_ADDRESS - PER_ACCOUNT),
      figure: `${reached} reached the hash`,
    });
  });
});

it.each([
  ['of a user', () => addOwner()],
  ['of nobody', async () => 'nadie-mas@demo.example'],
  ['of a user without a password', () => addOwner(null)],
])('a wrong password costs one hash with the e-mail %s', async (_, addEmail) => {
  const email = await addEmail();
  const before = hashed;
  expect((await login(email, 'wrong', HOME)).status).toBe(401);
  expect(hashed - before).toBe(1);
});
