import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { DEMO_PASSWORD } from '../../../infra/local/seed.ts';
import { hashPassword } from '../../../shared/access/password.ts';
import { ids, table } from '../../../shared/deps.ts';
import { createUser, userByEmail } from '../../../shared/store/people/users.ts';
import { bundleOnce } from '../../support/servers/bundles-of-run.ts';
import { type FunctionProcess, startFunction } from '../../support/servers/function-process.ts';
import { openTestServer, type TestServer, type TestServerOptions } from '../../support/servers/test-server.ts';

/* These tests log in through the bundle of the function, once in a Node whose argon2 a preload removed, once in a whole one. */

const WITHOUT_FEATURES = join(import.meta.dirname, '../../support/servers/without-features.ts');
const LOGIN = 'functions/token/issue.ts';
const OF_ARGON2 = 'doctora@demo.example';
const OF_SCRYPT = 'scrypt@demo.example';

// Beside other tests, scrypt has taken longer than the 10 s of the function.
const gateway: TestServerOptions['gateway'] = {
  functionTimeoutMs: 20_000,
  loadHandler: async () => (event, context) => present.call(event, context),
};

let folder: string;
let server: TestServer;
let without: FunctionProcess;
let whole: FunctionProcess;
let present: FunctionProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'argon2-'));
  const [bundles] = await Promise.all([
    bundleOnce([LOGIN]),
    openTestServer({ gateway }).then((opened) => {
      server = opened;
    }),
  ]);
  const bundle = { file: bundles.get(LOGIN) ?? '' };
  const settings = { POWERTOOLS_LOG_LEVEL: 'ERROR', AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand' };
  const environment = { ...(process.env as Record<string, string>), ...settings };
  [without, whole] = await Promise.all([
    startFunction(bundle, { environment, folder, nodeOptions: ['--import', WITHOUT_FEATURES] }),
    startFunction(bundle, { environment, folder }),
  ]);
  vi.stubEnv('PASSWORD_HASH', 'scrypt');
  const person = { role: 'doctor', firstName: 'Ana', lastName: 'Sol', secondLastName: null, phone: '' } as const;
  const user = { ...person, clientId: server.client.id, email: OF_SCRYPT };
  await createUser(table(), ids(), { ...user, passwordHash: await hashPassword(DEMO_PASSWORD) }, new Date());
  vi.unstubAllEnvs();
});
afterAll(async () => {
  await Promise.all([without.stop(), whole.stop()]);
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

async function logIn(where: FunctionProcess, email: string, password = DEMO_PASSWORD) {
  present = where;
  const { status, body, headers } = await server.request('POST', '/api/token/', { body: { email, password } });
  return { status, code: body.code, retryAfter: headers['retry-after'] };
}

const storedHash = async () => (await userByEmail(table(), server.client.id, OF_SCRYPT))?.passwordHash;

it('is missed during INIT', () => {
  const missing = ['crypto.argon2'];
  const lines = without.log.map((line) => JSON.parse(line));
  expect(lines).toMatchObject([{ message: 'this Node lacks what the function needs', missing }]);
  expect(whole.log).toEqual([]);
});

it.each(['right', 'wrong'])('a %s password with a hash of argon2 is answered 503 without argon2', async (which) => {
  const password = which === 'right' ? DEMO_PASSWORD : 'no es esta';
  const answer = await logIn(without, OF_ARGON2, password);
  expect(answer).toEqual({ status: 503, code: 'unavailable', retryAfter: '2' });
  const line = JSON.parse(without.log.at(-1) ?? '');
  expect(line).toMatchObject({ message: 'request failed', code: 'unavailable', causeCode: 'crypto.argon2' });
});

it('a password with a hash of scrypt is accepted without argon2, and its hash stays', async () => {
  const before = await storedHash();
  expect((await logIn(without, OF_SCRYPT)).status).toBe(200);
  expect(before).toMatch(/^\$scrypt\$/);
  expect(await storedHash()).toBe(before);
});

it('a wrong password and an unknown e-mail are refused alike without argon2', async () => {
  const refused = { status: 401, code: 'wrong_credentials', retryAfter: undefined };
  expect(await logIn(without, OF_SCRYPT, 'no es esta')).toEqual(refused);
  expect(await logIn(without, 'nadie@demo.example')).toEqual(refused);
});

it('a password with a hash of scrypt is hashed anew where argon2 is there again', async () => {
  expect((await logIn(whole, OF_SCRYPT, 'no es esta')).status).toBe(401);
  expect(await storedHash()).toMatch(/^\$scrypt\$/);
  expect((await logIn(whole, OF_SCRYPT)).status).toBe(200);
  expect(await storedHash()).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect((await logIn(whole, OF_SCRYPT)).status).toBe(200);
  expect((await logIn(whole, OF_SCRYPT, 'no es esta')).status).toBe(401);
});
