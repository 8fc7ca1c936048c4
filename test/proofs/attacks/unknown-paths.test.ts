import { afterAll, beforeAll, it } from 'vitest';
import { routes, servedMethods } from '../../../shared/api/routes.ts';
import { HARDENING_HEADERS } from '../../../shared/http/headers.ts';
import { type HttpAnswer, sendHttp } from '../../support/http/http.ts';
import { prove, someOf } from '../../support/proofs/proof.ts';
import { openTestGateway, TEST_KEY, type TestGateway } from '../../support/servers/test-gateway.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const AUTHORIZATIONS = [
  {},
  { Authorization: 'Bearer abc.def.ghi' },
  { Authorization: 'AWS4-HMAC-SHA256 Credential=AKIA/20261122/mx-central-1/execute-api/aws4_request' },
  { Authorization: 'x', 'X-API-Key': TEST_KEY },
];
const CONTENT_TYPES = [{}, { 'Content-Type': 'text/html' }, { 'Content-Type': 'no type' }];
const UNKNOWN = [
  '',
  '/',
  '/api',
  '/api/',
  '/api/nothing/',
  '/api/orders/7/nothing/',
  '/api/orders/7/request-invoice/x/',
  '/.env',
];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway({ routes });
});
afterAll(() => gateway.close());

/** Returns each pair of method and path that is no route: other methods of the known paths, and all of unknown ones. */
function listUnknown(): { method: string; path: string }[] {
  const served = new Set(routes.flatMap((row) => servedMethods(row).map((method) => `${method} ${row.path}`)));
  const known = [...new Set(routes.map(({ path }) => path))].flatMap((path) =>
    METHODS.filter((method) => !served.has(`${method} ${path}`)).flatMap((method) => [
      { method, path: path.replace('{id}', '7') },
      { method, path: path.replace('{id}', '7').replace(/\/$/, '') },
    ]),
  );
  return [...known, ...UNKNOWN.flatMap((path) => METHODS.map((method) => ({ method, path })))];
}

const isOurs = (method: string, { status, headers, body }: HttpAnswer): boolean =>
  status === 404 &&
  (method === 'HEAD' || body.code === 'not_found') &&
  /^[0-9a-f-]{36}$/.test(String(headers['x-request-id'])) &&
  headers['content-type'] === 'application/json' &&
  Object.entries(HARDENING_HEADERS).every(([name, value]) => headers[name.toLowerCase()] === value);

it('whatever is no route is 404 in our shape, whatever the request carries', async () => {
  let [tried, lost] = [0, 0];
  for (const [place, { method, path }] of listUnknown().entries()) {
    const headers = AUTHORIZATIONS.flatMap((one) => CONTENT_TYPES.map((type) => ({ ...one, ...type })));
    for (const sent of someOf(headers, place, 4)) {
      const answer = await sendHttp(gateway.url, `/v2${path}`, { method, headers: sent });
      tried += 1;
      if (!isOurs(method, answer)) lost += 1;
    }
  }
  prove({ check: 'attack 17: a wrong method or path, with any Authorization and media type', tries: tried, lost });
});
