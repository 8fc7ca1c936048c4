import { afterEach, describe, expect, it } from 'vitest';
import { createPasswordLink } from '../../../shared/access/new-password.ts';
import { table } from '../../../shared/deps.ts';
import { setUserState, type UserRecord } from '../../../shared/people/users.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { useServer } from '../../support/servers/test-server.ts';

const PASSWORD = 'otra-farmacia-2026';

const server = useServer();
afterEach(() => setClock());

let users = 0;
const addUser = () => server.addUser(server.client, 'patient', `clave-${users++}@demo.example`);
const link = (user: UserRecord, now = new Date()) => createPasswordLink(user, now, table());
const set = (token: string, password = PASSWORD, call: object = {}) =>
  server.request('PUT', '/api/password/', { body: { token, password }, ...call });
const login = async (email: string, password: string) =>
  (await server.request('POST', '/api/token/', { body: { email, password } })).status;

const REFUSED = [400, ['token']];
const outcomeOf = ({ status, body }: { status: number; body: object }) => [status, Object.keys(body)];

describe('a link', () => {
  it('sets a password once, and ends the tokens and the other links of its user', async () => {
    const user = await addUser();
    const access = await server.login(user.email);
    const [first, second] = [await link(user), await link(user)];
    const answer = await set(first);
    expect([answer.status, answer.body]).toEqual([204, '']);
    expect(await login(user.email, PASSWORD)).toBe(200);
    expect((await server.request('GET', '/api/me/', { token: access })).body.code).toBe('token_invalid');
    expect([outcomeOf(await set(first)), outcomeOf(await set(second))]).toEqual([REFUSED, REFUSED]);
  });

  it('of two requests at once serves one', async () => {
    const token = await link(await addUser());
    const statuses = (await Promise.all([set(token), set(token, 'una-tercera-2026')])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([204, 400]);
  });

  it('works for 30 minutes', async () => {
    const begun = new Date('2026-11-21T18:00:00.000Z');
    const [user, other] = [await addUser(), await addUser()];
    setClock(new Date('2026-11-21T18:29:59.999Z'));
    expect((await set(await link(user, begun))).status).toBe(204);
    setClock(new Date('2026-11-21T18:30:00.000Z'));
    expect(outcomeOf(await set(await link(other, begun)))).toEqual(REFUSED);
  });

  it('is stored without its secret', async () => {
    const user = await addUser();
    const token = await link(user);
    const rows = await table().all({ pk: `LINK#${server.client.id}#${user.id}` });
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(token.split('.')[1]);
  });

  it.each(['', 'x', '1.short', `0.${'a'.repeat(43)}`, `9.${'a'.repeat(43)}`])('is not %j', async (token) => {
    expect(outcomeOf(await set(token))).toEqual(REFUSED);
  });

  it('is of its client and user alone, who is not disabled', async () => {
    const user = await addUser();
    const token = await link(user);
    const { key } = await server.addClient('Otra');
    expect(outcomeOf(await set(token, PASSWORD, { key }))).toEqual(REFUSED);
    const other = await addUser();
    expect(outcomeOf(await set(token.replace(String(user.id), String(other.id))))).toEqual(REFUSED);
    await setUserState(table(), user, { state: 'disabled', now: new Date() });
    expect(outcomeOf(await set(token))).toEqual(REFUSED);
  });

  it('is not used up by a password that is too short', async () => {
    const token = await link(await addUser());
    expect(outcomeOf(await set(token, 'corta-de-11'))).toEqual([400, ['password']]);
    expect((await set(token)).status).toBe(204);
  });
});
