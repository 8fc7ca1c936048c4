import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_PASSWORD } from '../../infra/local/seed.ts';
import { ids, table } from '../../shared/deps.ts';
import { createUser } from '../../shared/store/people/users.ts';
import { median } from '../bench/figures.ts';
import type { HttpAnswer } from '../support/http/http.ts';
import { loadWithSource, SOURCE_HEADER } from '../support/http/load-with-source.ts';
import { manyAtOnce } from '../support/load/many-at-once.ts';
import { countHashes } from '../support/proofs/count-hashes.ts';
import { isFull, prove, tries } from '../support/proofs/proof.ts';
import { openTestServer, type TestServer } from '../support/servers/test-server.ts';

const GUESSES = tries(150, 1_000);
const AT_ONCE = 50;
const ALLOWED = 50;
/** The owner logs in once in this number of guesses. */
const OWNER_EVERY = 5;
/** The guesses from one address, which are all that it gets; an attacker uses many addresses. */
const PER_SOURCE = 10;

let hashes: ReturnType<typeof countHashes>;
let server: TestServer;
beforeAll(async () => {
  server = await openTestServer({ gateway: { loadHandler: loadWithSource } });
  hashes = countHashes();
});
afterAll(async () => {
  hashes.stop();
  await server.close();
});

const login = (email: string, password: string, source: string): Promise<HttpAnswer> =>
  server.request('POST', '/api/token/', { body: { email, password }, headers: { [SOURCE_HEADER]: source } });

const sourceAddress = (block: number, index: number) => `198.18.${block}.${Math.floor(index / PER_SOURCE)}`;

describe(`${GUESSES} guesses at one password, ${AT_ONCE} at a time`, () => {
  it('reach the hash 50 times, lock the account and affect no other account', async () => {
    await server.addUser(server.client, 'doctor', 'adivinada@demo.example');
    await server.addUser(server.client, 'doctor', 'tranquila@demo.example');
    const before = hashes.count();
    const answers: HttpAnswer[] = [];
    const owner: HttpAnswer[] = [];
    const others: HttpAnswer[] = [];
    await manyAtOnce(GUESSES, AT_ONCE, async (index) => {
      answers.push(await login('adivinada@demo.example', `guess-${index}`, sourceAddress(0, index)));
      const isClosed = answers.some(({ status }) => status === 429);
      if (!isClosed || index % OWNER_EVERY !== 0) return;
      owner.push(await login('adivinada@demo.example', DEMO_PASSWORD, '203.0.113.1'));
      others.push(await login('tranquila@demo.example', DEMO_PASSWORD, '203.0.113.2'));
    });

    const codes = Map.groupBy(answers, ({ status, body }) => `${status} ${body.code}`);
    expect([...codes.keys()].sort()).toEqual(['401 wrong_credentials', '429 too_many_attempts']);
    expect(codes.get('401 wrong_credentials')).toHaveLength(ALLOWED);
    expect(owner.length).toBeGreaterThan(10);
    for (const { status, headers } of owner) {
      expect([status, Number(headers['retry-after'])]).toEqual([
        429,
        expect.toSatisfy((left) => left > 0 && left <= 900),
      ]);
    }
    expect(others.map(({ status }) => status)).toEqual(owner.map(() => 200));
    const reached = hashes.count() - before - others.length;
    prove({
      check: 'Guessing: passwords of one account',
      tries: answers.length + owner.length,
      lost: Math.max(0, reached - ALLOWED),
      figure: `${reached} reached the hash`,
    });
  });
});

const KINDS = ['known', 'unknown', 'without a password'] as const;
type Kind = (typeof KINDS)[number];
/** The number of tries on each account from one address, of which 10 are allowed. */
const TRIES_OF_ACCOUNT = 8;
const ACCOUNTS = 25;
const MOST = 1.1;
// Other load on the machine disturbs single measurements, but a difference in the code shows in every one.
const MEASUREMENTS = 3;

/** Returns the median time in ms of a login with a wrong password for each kind of e-mail. */
async function measureTimes(round: number): Promise<Record<Kind, number>> {
  const times: Record<Kind, number[]> = { known: [], unknown: [], 'without a password': [] };
  for (let account = 0; account < ACCOUNTS; account++) {
    const emails = await createAccounts(`${round}-${account}`);
    for (let each = 0; each < TRIES_OF_ACCOUNT; each++) {
      // The order rotates because the first try after a pause may be slower.
      const order = KINDS.map((_, index) => KINDS[(index + each) % KINDS.length] as Kind);
      for (const kind of order) {
        const began = performance.now();
        const { status } = await login(emails[kind], 'wrong password', `198.18.${100 + round}.${account}`);
        times[kind].push(performance.now() - began);
        expect(status).toBe(401);
      }
    }
  }
  return {
    known: median(times.known),
    unknown: median(times.unknown),
    'without a password': median(times['without a password']),
  };
}

async function createAccounts(name: string): Promise<Record<Kind, string>> {
  const person = { role: 'patient', firstName: 'Ana', lastName: 'Prueba', secondLastName: null, phone: '' } as const;
  const without = { ...person, clientId: server.client.id, email: `sin-${name}@demo.example`, passwordHash: null };
  await createUser(table(), ids(), without, new Date());
  await server.addUser(server.client, 'patient', `con-${name}@demo.example`);
  return {
    known: `con-${name}@demo.example`,
    unknown: `nadie-${name}@demo.example`,
    'without a password': `sin-${name}@demo.example`,
  };
}

const spread = (times: Record<Kind, number>): number =>
  Math.max(...Object.values(times)) / Math.min(...Object.values(times));

it.each(KINDS)('a failed login hashes one password when its e-mail is %s', async (kind) => {
  const emails = await createAccounts(`hashed-${KINDS.indexOf(kind)}`);
  const before = hashes.count();
  expect((await login(emails[kind], 'wrong password', '203.0.113.3')).status).toBe(401);
  expect(hashes.count() - before).toBe(1);
});

async function proveEqualTimes(): Promise<void> {
  let times = await measureTimes(0);
  for (let round = 1; round < MEASUREMENTS && spread(times) > MOST; round++) times = await measureTimes(round);
  prove({
    check: 'Guessing: time of a failed login by kind of e-mail',
    tries: ACCOUNTS * TRIES_OF_ACCOUNT * KINDS.length,
    lost: spread(times) > MOST ? 1 : 0,
    figure: KINDS.map((kind) => `${kind} ${times[kind].toFixed(1)} ms`).join(', '),
  });
}

// Only a full run has the machine to itself.
if (isFull()) it('a failed login takes as long for each kind of e-mail', proveEqualTimes);
