import { beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../shared/api/routes.ts';
import { table, tokenKeys } from '../../shared/deps.ts';
import { userByEmail } from '../../shared/people/users.ts';
import { setClock } from '../../shared/runtime/clock.ts';
import { claimsOf, forgedTokens, signedToken, TOKEN_KEYS } from '../support/hostile/hostile-tokens.ts';
import type { HttpAnswer } from '../support/http/http.ts';
import { prove, someOf, tries } from '../support/proofs/proof.ts';
import { useServer } from '../support/servers/test-server.ts';

const NOW = new Date('2026-11-21T18:00:00.000Z');
const TRUSTED = 'https://tienda.example';
const MISSING_ORDER = 99_999_999;
const userRoutes = routes.filter(({ authentication }) => authentication === 'user');
const SAFE = new Set(['GET']);

const server = useServer({ settings: { TOKEN_KEYS, CORS_ORIGINS: TRUSTED } });
let claims: ReturnType<typeof claimsOf>;
let token: string;
beforeAll(async () => {
  const user = await userByEmail(table(), server.client.id, 'aseguradora@demo.example');
  if (!user) throw new Error('no employee');
  // As a log-in does: publishes the key that signs.
  await tokenKeys();
  claims = claimsOf({ client: server.client.id, user }, NOW.getTime() / 1_000);
  token = signedToken(claims);
  setClock(NOW);
});

type UserRoute = (typeof userRoutes)[number];
type Headers = Readonly<Record<string, string>>;

/** Sends a request that changes nothing: a caller with access gets a 400 or a 404 for it. */
function ask({ method, path }: UserRoute, headers: Headers): Promise<HttpAnswer> {
  const body = SAFE.has(method) ? {} : { body: {} };
  return server.request(method, path.replace('{id}', String(MISSING_ORDER)), { ...body, headers });
}
const isLetIn = ({ status }: HttpAnswer) => [200, 400, 404].includes(status);
const bearer = (value: string) => ({ Authorization: `Bearer ${value}` });
const cookie = (value: string) => ({ Cookie: `a=b; __Host-access=${value}`, 'Sec-Fetch-Site': 'same-origin' });

const REFUSED = { status: 401, code: 'token_invalid' };
const refusal = ({ status, body }: HttpAnswer) => ({ status, code: body.code });

describe('every route that needs a user', () => {
  it('takes a valid token, and refuses forged ones, in the header and in the cookie', async () => {
    const forged = forgedTokens(claims);
    expect(forged.length).toBeGreaterThanOrEqual(25);
    let accepted = 0;
    for (const route of userRoutes) {
      for (const headers of [bearer(token), cookie(token)]) expect(isLetIn(await ask(route, headers))).toBe(true);
      for (const [name, value] of someOf(forged, userRoutes.indexOf(route), 8)) {
        for (const headers of [bearer(value), cookie(value)]) {
          const answer = await ask(route, headers);
          if (isLetIn(answer)) accepted += 1;
          else expect([name, refusal(answer)]).toEqual([name, REFUSED]);
        }
      }
    }
    prove({ check: 'Access: forged tokens', tries: tries(8, forged.length) * userRoutes.length * 2, lost: accepted });
  });
});

const own = () => new URL(server.url).origin;

/** Lists the pages from which a browser may send the cookie, and marks those that may change data. `unit/http` has all spellings. */
const SITES: readonly (readonly [name: string, headers: () => Headers, mayChange: boolean])[] = [
  ['a program that says nothing', () => ({}), false],
  ['our own page', () => ({ 'Sec-Fetch-Site': 'same-origin' }), true],
  ['our own page, of an old browser', () => ({ Origin: own() }), true],
  ['a trusted page', () => ({ 'Sec-Fetch-Site': 'cross-site', Origin: TRUSTED }), true],
  ['a page of a sister domain', () => ({ 'Sec-Fetch-Site': 'same-site' }), false],
  ['another page that lies', () => ({ 'Sec-Fetch-Site': 'same-origin', Origin: 'https://evil.example' }), false],
  ['a page without an origin', () => ({ Origin: 'null' }), false],
  ['our own host on another port', () => ({ Origin: `${own()}0` }), false],
];

describe('the cookie', () => {
  it('can change data only from our own and trusted pages, and can read from any page', async () => {
    let letIn = 0;
    for (const route of userRoutes) {
      for (const [name, headers, mayChange] of SITES) {
        const answer = await ask(route, { Cookie: `__Host-access=${token}`, ...headers() });
        if (mayChange || SAFE.has(route.method)) expect([name, isLetIn(answer)]).toEqual([name, true]);
        else if (isLetIn(answer)) letIn += 1;
        else expect([name, refusal(answer)]).toEqual([name, { status: 403, code: 'cross_site' }]);
      }
    }
    prove({ check: 'Access: cookie sent from other sites', tries: userRoutes.length * SITES.length, lost: letIn });
  });
});
