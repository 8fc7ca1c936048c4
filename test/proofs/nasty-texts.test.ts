import { beforeAll, describe, expect, it } from 'vitest';
import { type Route, routes } from '../../shared/api/routes.ts';
import { table } from '../../shared/deps.ts';
import { REQUEST_HEADERS } from '../../shared/http/headers.ts';
import { getOrderOfAnyClient } from '../../shared/order/orders.ts';
import { type BodyField, bodyFields, type Place, withValue } from '../support/hostile/body-fields.ts';
import { NASTY_TEXTS, percentEncode, writeJson } from '../support/hostile/nasty-texts.ts';
import { nameOf, WHOLE_BODIES } from '../support/hostile/whole-bodies.ts';
import type { HttpAnswer } from '../support/http/http.ts';
import { orderBody } from '../support/orders/samples.ts';
import { prove, someOf } from '../support/proofs/proof.ts';
import { useServer } from '../support/servers/test-server.ts';

const server = useServer();
let token: string;
let orderId: number;
beforeAll(async () => {
  token = await server.login('aseguradora@demo.example');
  orderId = await place(orderBody('textos@example.mx'));
});

const place = async (body: object): Promise<number> =>
  (await server.request('POST', '/api/orders/resources/', { token, body })).body.id;

const MARKER = 'Zq9xJv';
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Returns the path of a route; of what an order takes once, that of a new order. */
async function pathOf({ path }: Route): Promise<string> {
  const product = { '/prescriptions/': 4, '/request-invoice/': 1 }[path.replace('/api/orders/{id}', '')];
  const isOfOrder = path.includes('orders');
  const details = [{ product, quantity: 1 }];
  const id = product ? await place(orderBody('textos@example.mx', { details })) : isOfOrder ? orderId : 1;
  return path.replace('{id}', String(id));
}

const valueAt = (value: unknown, [step, ...rest]: Place): unknown =>
  step === undefined ? value : valueAt((value as Record<string | number, unknown> | null)?.[step], rest);

/** Expects that no text was damaged, and neither a status of ours nor a broken answer. */
function expectSound({ status, body }: HttpAnswer, name: string): void {
  expect([name, status < 500, JSON.stringify(body).includes('\ufffd')]).toEqual([name, true, false]);
}

const SHOWN: Readonly<Record<string, (sent: Place) => Place>> = {
  user: (sent) => ['patient', ...sent],
  order: (sent) => sent.slice(1),
  invoicing: (sent) => sent,
};

// These answer the whole order.
const SHOWING = ['POST /api/orders/resources/', 'PUT /api/orders/{id}/request-invoice/'];

/** Returns what is stored of a text of an order; undefined for what is kept in another form, or not at all. */
async function readStored({ body }: HttpAnswer, sent: Place): Promise<unknown> {
  const name = String(sent.at(-1));
  if (name === 'comments') return (await getOrderOfAnyClient(table(), body.id))?.comments;
  return name === 'document_name' || name === 'coupon'
    ? undefined
    : valueAt(body, SHOWN[String(sent[0])]?.(sent) ?? [name]);
}

const fields = routes.flatMap((route) =>
  (route.contract.body ? bodyFields(route.contract.body) : [])
    .filter(({ types, choices }) => types.includes('string') && !choices)
    .map((field) => ({ route, field, name: `${nameOf(route)} ${field.place.join('.')}` })),
);

// A password may have any character, and a file name loses what it may not have.
const TAKES_CONTROLS = ['password', 'document_name'];
const nameOfField = ({ place: at }: BodyField) => String(at.at(-1));
const mustBeRead = (field: BodyField) => field.minimum === 1 && !field.pattern && nameOfField(field) !== 'password';

type Sent = { readonly route: Route; readonly field: BodyField; readonly kept: string | null };

/** Returns what is wrong with an answer to a text in a field of a body; undefined if nothing is. */
async function findFault(answer: HttpAnswer, { route, field, kept }: Sent): Promise<string | undefined> {
  const isLogin = nameOf(route) === 'POST /api/token/';
  if (answer.status === 400) {
    const isNamed = answer.body.code === 'malformed_json' || Array.isArray(valueAt(answer.body, field.place));
    return isNamed ? undefined : 'the field is not named';
  }
  if (isLogin ? ![401, 429].includes(answer.status) : answer.status > 201) return `status ${answer.status}`;
  if (kept === null && !TAKES_CONTROLS.includes(nameOfField(field))) return 'taken, and is no text';
  if (kept === '' && mustBeRead(field)) return 'taken, and shows nothing';
  const isShown = SHOWING.includes(nameOf(route));
  const stored = isShown ? await readStored(answer, field.place) : undefined;
  return stored === undefined || !kept || stored === kept ? undefined : `kept as ${stored}`;
}

const EACH = 4;

describe('a text of a body', () => {
  it.each(fields.map((one, index) => ({ ...one, index })))(
    'is refused or kept as it reads: $name',
    async ({ route, field, index }) => {
      const sample = withValue(WHOLE_BODIES[nameOf(route)] ?? {}, field.place, MARKER);
      const texts = someOf(NASTY_TEXTS, index, EACH);
      for (const [name, sent, kept] of texts) {
        const body = writeJson(sample, MARKER, sent);
        const answer = await server.request(route.method, await pathOf(route), { token, body, headers: JSON_TYPE });
        expectSound(answer, name);
        expect([name, await findFault(answer, { route, field, kept })]).toEqual([name, undefined]);
      }
      prove({ check: 'Texts: the nastiest in every field of a body', tries: texts.length });
    },
  );
});

// A backslash means nothing there.
const IN_A_QUERY = NASTY_TEXTS.filter(([, sent]) => !sent.includes('\\u'));

describe('a text of a query', () => {
  // The routes that write have parameters of the same kinds.
  const reading = routes.filter(({ method }) => method === 'GET');
  const parameters = reading.flatMap((route) =>
    Object.keys(route.contract.query?.shape ?? {}).map((parameter) => ({ route, parameter, name: nameOf(route) })),
  );

  it.each(parameters.map((one, index) => ({ ...one, index })))(
    'is refused under its name or searched: $parameter in $name',
    async ({ route, parameter, index }) => {
      const texts = someOf(IN_A_QUERY, index, EACH);
      for (const [name, sent, kept] of texts) {
        const target = `${await pathOf(route)}?${parameter}=${percentEncode(sent)}`;
        const answer = await server.request(route.method, target, { token });
        expectSound(answer, name);
        if (answer.status === 400) expect([name, Object.keys(answer.body)]).toEqual([name, [parameter]]);
        else expect([name, answer.status, kept === null]).toEqual([name, 200, false]);
      }
      prove({ check: 'Texts: the nastiest in every parameter of a query', tries: texts.length });
    },
  );
});

describe('a text of a path', () => {
  it.each(routes.filter(({ path }) => path.includes('{id}')).map((route, index) => ({ ...route, index })))(
    'is not found: $method $path',
    async ({ index, ...route }) => {
      for (const [name, sent] of someOf(NASTY_TEXTS, index, EACH)) {
        const path = route.path.replace('{id}', percentEncode(sent));
        const answer = await server.request(route.method, path, { token, body: WHOLE_BODIES[nameOf(route)] });
        expectSound(answer, name);
        expect([name, answer.status]).toEqual([name, 404]);
      }
    },
  );
});

describe('a text of a header', () => {
  it.each([...REQUEST_HEADERS, 'Cookie', 'Host', 'Origin'])('breaks nothing: %s', async (header) => {
    for (const [name, sent] of NASTY_TEXTS) {
      const route = routes.find(({ path }) => path === '/api/orders/resources/') as Route;
      const headers = { [header]: Buffer.isBuffer(sent) ? sent.toString() : sent };
      const own = header === 'Authorization' || header === 'Cookie' ? {} : { token };
      const answer = await server.invoke(route.method, route.path, { ...own, body: {}, headers });
      expectSound(answer, name);
      expect([name, [400, 401, 403, 415].includes(answer.status)]).toEqual([name, true]);
    }
    prove({ check: 'Texts: the nastiest in every header', tries: NASTY_TEXTS.length });
  });
});
