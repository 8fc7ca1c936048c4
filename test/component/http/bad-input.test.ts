import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Route, routes } from '../../../shared/api/routes.ts';
import { table } from '../../../shared/deps.ts';
import { setUserState } from '../../../shared/people/users.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { type BodyField, bodyFields, type Place, refusalAt, withValue } from '../../support/hostile/body-fields.ts';
import { nameOf, WHOLE_BODIES } from '../../support/hostile/whole-bodies.ts';
import type { Call, Caller } from '../../support/http/call.ts';
import type { HttpAnswer } from '../../support/http/http.ts';
import { forceStored } from '../../support/orders/forced-order.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { someOf } from '../../support/proofs/proof.ts';
import { openServer, type TestServer } from '../../support/servers/test-server.ts';

type Language = 'es' | 'en';
type Texts = Record<Language, string>;
const LANGUAGES: readonly Language[] = ['es', 'en'];

/** Marks bad values, so that the tests notice an answer that repeats them. */
const MARK = 'Zq9xJv';
const MB = 1024 * 1024;

const RECEIVER_FIELDS = [
  'full_name: string, required 1..100',
  'rfc: string, required 1..20',
  'street: string, required 0..250',
  'exterior_number: string, required 0..20',
  'neighborhood: string, required 0..100',
  'city: string, required 0..100',
  'state: string, required 0..100',
  'country: string, required 0..100',
  'zipcode: string, required ..5',
  'cfdi_use: string, required 0..4',
  'fiscal_regime: string, required 0..3',
  'email: string or null 0..254',
  'latitude: number,string or null ..35',
  'longitude: number,string or null ..35',
];

/**
 * Every field of the interface with its bounds. The interface has no bound for lines (here 50), prescriptions (10), passwords
 * (128 characters), additional information and comments (2,000), and other texts (255). Null is the same as leaving out.
 */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  'POST /api/token/': ['email: string, required 1..254', 'password: string, required 1..128'],
  'POST /api/orders/calculate/': [
    'details: array, required 1..50',
    'details.1: object',
    'details.1.product: integer, required',
    'details.1.quantity: integer, required 0..32767',
    'zipcode: string or null ..5',
    'store: integer or null',
    'coupon: string or null ..255',
    'shipping_method: integer or null',
    'hold: boolean or null',
  ],
  'POST /api/orders/resources/': [
    'user: object, required',
    'user.email: string, required 1..254',
    'user.first_name: string, required 1..30',
    'user.last_name: string, required 1..100',
    'user.phone: string or null 0..25',
    'user.second_last_name: string or null 0..100',
    'user.sex: string or null of M,F',
    'user.birthdate: string or null ..10',
    'user.medical_condition: string or null 0..100',
    'order: object, required',
    'order.details: array, required 1..50',
    'order.details.1: object',
    'order.details.1.product: integer, required',
    'order.details.1.quantity: integer, required 0..32767',
    'order.payment_method: integer, required',
    'order.shipping: object or null',
    'order.shipping.street: string, required 1..250',
    'order.shipping.exterior_number: string, required 1..20',
    'order.shipping.neighborhood: string, required 1..100',
    'order.shipping.city: string, required 1..100',
    'order.shipping.state: string, required 1..100',
    'order.shipping.country: string, required 1..100',
    'order.shipping.zipcode: string, required ..5',
    'order.shipping.phone: string, required 1..25',
    'order.shipping.name: string or null 0..30',
    'order.shipping.interior_number: string or null 0..20',
    'order.shipping.additional_info: string or null 0..2000',
    'order.shipping.latitude: number,string or null ..35',
    'order.shipping.longitude: number,string or null ..35',
    'order.shipping_method: integer or null',
    'order.store: integer or null',
    'order.coupon: string or null ..255',
    'order.expected_total: number,string or null 0..17',
    'order.hold: string or null ..5000',
    'order.prescriptions: array or null ..10',
    'order.prescriptions.1: object',
    'order.prescriptions.1.document: string, required 1..4196352',
    'order.prescriptions.1.issue_date: string, required ..10',
    'order.prescriptions.1.document_name: string or null ..255',
    'order.prescriptions.1.expiring_date: string or null ..10',
    'order.comments: string or null 0..2000',
    'invoicing: object or null',
    ...RECEIVER_FIELDS.map((field) => `invoicing.${field}`),
  ],
  'PATCH /api/orders/{id}/': [
    'details: array or null 1..50',
    'details.1: object',
    'details.1.product: integer, required',
    'details.1.quantity: integer, required 0..32767',
    'order_status: string or null of cancelled',
  ],
  'POST /api/orders/{id}/prescriptions/': [
    'prescriptions: array, required 1..10',
    'prescriptions.1: object',
    'prescriptions.1.document: string, required 1..4196352',
    'prescriptions.1.issue_date: string, required ..10',
    'prescriptions.1.document_name: string or null ..255',
    'prescriptions.1.expiring_date: string or null ..10',
  ],
  'PATCH /api/orders/{id}/request-invoice/': RECEIVER_FIELDS,
  'PUT /api/orders/{id}/request-invoice/': [
    'invoicing: integer,object, required',
    ...RECEIVER_FIELDS.map((field) => `invoicing.${field}`),
  ],
};

/** Lists fields that contradict another field of the same body. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  'POST /api/orders/calculate/': ['store'],
  'PATCH /api/orders/{id}/': ['order_status'],
};

/** Lists bad values for every parameter of a list. */
const BAD_PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  page: ['', '0', '-1', '1.5', MARK],
  limit: ['', '0', '-1', '1.5', MARK],
  cursor: [' ', MARK, 'x'.repeat(4_097)],
  search: [MARK.repeat(34)],
  ordering: ['', MARK, `-${MARK}`, `updated_at,${MARK}`, 'created_at,'.repeat(350)],
  available: ['', '2', MARK],
  include: [MARK, `comments,${MARK}`, 'comments,,shipments'],
  is_active: ['', '2', 'true ', 'null', MARK],
  has_shortage: ['', '2', MARK],
  spelling: ['', '2', MARK],
  search_all: ['', '2', MARK],
  base__diseases: ['', '1.5', MARK],
  base__category: ['', '1.5', MARK],
  base__pharmaceutical_company: ['', '1.5', MARK],
  min_price: ['', '1,5', '1e', '.5', '0x1', 'NaN', '1'.repeat(256), MARK],
  max_price: ['', '1,5', 'e1', '1.', '+1', '1e1.5', `1e${'1'.repeat(254)}`, MARK],
  id__in: ['1,', ',', '1,,2', '1;2', '1 2', '1.5', `1,${MARK}`, '1,'.repeat(500) + 1, '1'.repeat(8_001)],
  patient: ['', '1.5', MARK],
  email: ['a@b', 'uno@example.mx,dos@example.mx', `${'x'.repeat(244)}@example.mx`, MARK],
  phone: ['', '5', '55 1234 567', '5'.repeat(26), MARK],
  folio: ['', '1', 'RX-1', 'RX-0000000', 'RX-000000001', '00000001', 'RX-00000001,RX-00000002', MARK],
  created_at_before: ['', '2026-02-30', MARK],
  created_at_after: ['', '2026-11-21T00:00:00Z', MARK],
  order_status__in: [',', MARK, 'approved,'.repeat(20).concat('approved'), `approved,${MARK}`],
  exclude_order_status__in: [',', MARK, 'approved,,quoted'],
  payment_status__in: [',', MARK, 'paid;unpaid'],
  type: [',', MARK, 'order.created,,order.paid', `order.created,${MARK}`],
  expected_delivery_date_before: ['', '2026-02-30', MARK],
  expected_delivery_date_after: ['', '2026-13-01', MARK],
  max_delivery_date_before: ['', '2026-1-1', MARK],
  max_delivery_date_after: ['', '21/11/2026', MARK],
  ean_key__in: ['x'.repeat(8_001), ','.repeat(500)],
  facets: [',', MARK, 'base__category,base__category', `base__category,${MARK}`],
};

/** Lists bad values for every header of a contract, with their messages. */
const BAD_HEADERS: Readonly<Record<string, { readonly values: readonly string[]; readonly texts: Texts }>> = {
  'Idempotency-Key': {
    values: ['', 'corta-7', 'x'.repeat(256), `${MARK} ${MARK}`, `${MARK}-ñandú`, `${MARK}\t${MARK}`],
    texts: {
      es: 'Debe tener de 8 a 255 caracteres ASCII visibles.',
      en: 'It must have 8 to 255 visible ASCII characters.',
    },
  },
};

const BAD_IDS = ['0', '-1', '01', '1.5', '1e3', '9'.repeat(400), 'null', MARK, '%20', '%00', '%FF', '1;1'];

let server: TestServer;
let token: string;
let disabledToken: string;
beforeAll(async () => {
  const opened = await openServer();
  server = { ...opened, request: repeatable(opened.request), invoke: repeatable(opened.invoke) };
  token = await server.login('aseguradora@demo.example');
  const disabled = await server.addUser(server.client, 'insurance_employee', 'cesada@example.mx');
  disabledToken = await server.login(disabled.email);
  await setUserState(table(), disabled, { state: 'disabled', now: new Date() });
  orderId = await place(orderBody('uno@example.mx'));
  waitingId = await place(orderBody('uno@example.mx', { details: [{ product: 4, quantity: 1 }] }));
  collectedId = await place(orderBody('uno@example.mx', { payment_method: 4 }));
});
let orderId: number;
/** The order that waits for approval. */
let waitingId: number;
/** The order that is collected online, and open. */
let collectedId: number;
const place = async (body: object): Promise<number> =>
  (await server.request('POST', '/api/orders/resources/', { token, body })).body.id;
afterAll(() => server.close());

/**
 * Removes the invoice after each successful request for one, because an order can be invoiced only once, and added
 * prescriptions, of which it has at most 10.
 */
const repeatable =
  (ask: Caller): Caller =>
  async (method, path, call) => {
    const answer = await ask(method, path, call);
    if (answer.status === 200 && path.includes('/request-invoice'))
      await forceStored(orderId, { cfdi: '', invoice: null });
    if (answer.status === 201 && path.includes('/prescriptions')) await forceStored(waitingId, { prescriptions: [] });
    return answer;
  };

/** Returns a valid call of a route, with the changes of `call`. */
function validCall(route: Route, call: Call = {}, language: Language = 'es'): [string, string, Call] {
  const body = WHOLE_BODIES[nameOf(route)];
  const [, last = ''] = /(\w+)\/$/.exec(route.path) ?? [];
  const ofOrder = { prescriptions: waitingId, payment: collectedId }[last] ?? orderId;
  const path = route.path.replace('{id}', route.path.includes('orders') ? String(ofOrder) : '1');
  const credentials = route.authentication === 'user' ? { token } : {};
  const headers = { 'Accept-Language': language, ...call.headers };
  return [route.method, path, { ...credentials, ...(body && { body }), ...call, headers }];
}

const successStatus = ({ contract }: Route) => Number(Object.keys(contract.answers)[0]);

const INTERNALS =
  /zod|invalid_|expected\b|received|unexpected|\bat \S+:\d|\.ts\b|node_modules|node:|JSON|Error|dynamo|s3/i;

/** Expects a refusal in the usual shape that shows neither internals nor the input of the caller. */
function expectRefusal(answer: HttpAnswer, status: number, language: Language): void {
  expect(answer.status, JSON.stringify(answer.body).slice(0, 500)).toBe(status);
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json',
    'content-language': language,
    'x-request-id': expect.stringMatching(/^[\w-]{8,}$/),
  });
  const texts = collectMessages(answer.body);
  expect(texts.length).toBeGreaterThan(0);
  for (const text of texts) {
    // The longest is the list of the types of events.
    expect(text).toMatch(/^\p{L}.{3,250}\.$/u);
    expect(text).not.toMatch(language === 'es' ? /\b(the|must|this|is)\b/i : /\b(debe|el|la|no existe|este)\b/i);
  }
  const written = texts.join(' ').replace('JSON', '').replace('application/json', '');
  expect(written).not.toMatch(INTERNALS);
  expect(JSON.stringify(answer.body)).not.toContain(MARK);
}

/** Returns every text of a refusal except its stable code. */
function collectMessages(body: unknown): string[] {
  if (typeof body === 'string') return [body];
  if (Array.isArray(body)) return body.flatMap(collectMessages);
  if (typeof body !== 'object' || body === null) throw new Error(`${body} is no part of a refusal`);
  const { code, ...rest } = body as Record<string, unknown>;
  const isCoded = typeof code === 'string' && 'detail' in rest;
  if (isCoded) expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
  return Object.values(isCoded || code === undefined ? rest : body).flatMap(collectMessages);
}

/** Sends the call over HTTP in Spanish, and to the handler alone in English. */
async function inBothWays(route: Route, call: Call): Promise<Record<Language, HttpAnswer>> {
  return {
    es: await server.request(...validCall(route, call, 'es')),
    en: await server.invoke(...validCall(route, call, 'en')),
  };
}

async function expectCode(route: Route, call: Call, status: number, code: string): Promise<void> {
  const answers = await inBothWays(route, call);
  for (const language of LANGUAGES) {
    expectRefusal(answers[language], status, language);
    expect(answers[language].body).toEqual({ detail: expect.any(String), code });
  }
  expect(answers.es.body.detail).not.toBe(answers.en.body.detail);
}

async function expectErrors(route: Route, call: Call, errors: Record<Language, unknown>): Promise<void> {
  for (const language of LANGUAGES) await expectErrorIn(language, route, call, errors[language]);
}

async function expectErrorIn(language: Language, route: Route, call: Call, error: unknown): Promise<void> {
  const ask = { es: server.request, en: server.invoke }[language];
  const { status, body, ...answer } = await ask(...validCall(route, call, language));
  expect({ status, body }).toEqual({ status: 400, body: error });
  expectRefusal({ status, body, ...answer }, 400, language);
}

describe('this table', () => {
  it('holds every route that takes a body', () => {
    expect(Object.keys(WHOLE_BODIES)).toEqual(routes.filter(({ contract }) => contract.body).map(nameOf));
  });

  it('holds a body for each route that takes one, with every field of it', () => {
    for (const { contract, ...route } of routes) {
      const body = WHOLE_BODIES[nameOf(route)];
      expect([nameOf(route), body !== undefined]).toEqual([nameOf(route), contract.body !== undefined]);
      expect([nameOf(route), nameOf(route) in FIELDS]).toEqual([nameOf(route), contract.body !== undefined]);
      if (!contract.body || !body) continue;
      const places = bodyFields(contract.body).map(({ place }) => place);
      const missing = places.filter((place) => !isIn(body, place)).map((place) => place.join('.'));
      expect([nameOf(route), missing]).toEqual([nameOf(route), LEFT_OUT[nameOf(route)] ?? []]);
    }
  });

  it.each(Object.entries(FIELDS))('holds the fields of %s with the bounds of the interface', (name, fields) => {
    const body = routes.find((route) => nameOf(route) === name)?.contract.body;
    expect(body && bodyFields(body).map(written)).toEqual(fields);
  });

  it('holds every header', () => {
    const headers = routes.flatMap(({ contract }) => Object.keys(contract.headers?.shape ?? {}));
    expect(Object.keys(BAD_HEADERS).sort()).toEqual([...new Set(headers)].sort());
  });

  it('holds every parameter', () => {
    const parameters = routes.flatMap(({ contract }) => Object.keys(contract.query?.shape ?? {}));
    expect(Object.keys(BAD_PARAMETERS).sort()).toEqual([...new Set(parameters)].sort());
  });

  it.each(routes)('has a valid call of $method $path', async (route) => {
    for (const ask of [server.request, server.invoke]) {
      expect((await ask(...validCall(route))).status).toBe(successStatus(route));
    }
  });
});

function written({ place, types, isNullable, isRequired, choices, minimum, maximum }: BodyField): string {
  const isBounded = maximum !== Number.MAX_SAFE_INTEGER && (minimum ?? maximum) !== undefined;
  return [
    `${place.join('.')}: ${types}`,
    isNullable ? ' or null' : '',
    isRequired ? ', required' : '',
    choices ? ` of ${choices}` : '',
    isBounded ? ` ${minimum ?? ''}..${maximum ?? ''}` : '',
  ].join('');
}

function isIn(body: object, place: Place): boolean {
  let at: unknown = body;
  for (const step of place) {
    if (typeof at !== 'object' || at === null || !(step in at)) return false;
    at = (at as Record<string | number, unknown>)[step];
  }
  return true;
}

describe.each(routes)('$method $path', (route) => {
  it.each([
    ['no key', { key: null }],
    ['an unknown key', { key: MARK.repeat(5) }],
    ['the key as a bearer', { key: null, headers: { Authorization: `Bearer ${MARK}` } }],
  ])('refuses %s', async (_, call) => {
    const answer = await server.request(...validCall(route, call, 'en'));
    // The gateway cannot choose a language, and answers in both.
    expect(answer.status).toBe(403);
    expect(answer.headers).toMatchObject({ 'content-language': 'es, en', 'x-request-id': expect.any(String) });
    expect(answer.body).toEqual({
      detail: 'Falta la clave de API o no es válida. / The API key is missing or not valid.',
      code: 'api_key_invalid',
    });
  });
});

describe.each(routes.filter(({ authentication }) => authentication === 'user'))('$method $path', (route) => {
  it('refuses a call without a token', async () => {
    const [method, path, { token: _, ...call }] = validCall(route);
    const answer = await server.request(method, path, call);
    expectRefusal(answer, 401, 'es');
    expect(answer.body.code).toBe('not_authenticated');
  });

  const cases: readonly (readonly [string, () => Call])[] = [
    ['a forged token', () => ({ token: `${MARK}.${MARK}.${MARK}` })],
    ['an altered token', () => ({ token: `${token.slice(0, -4)}AAAA` })],
    ['the token of a user who is disabled', () => ({ token: disabledToken })],
    ['another scheme', () => ({ headers: { Authorization: `Basic ${MARK}` } })],
    ['an empty header', () => ({ headers: { Authorization: '' } })],
  ];
  it.each(cases)('refuses %s', async (_, call) => {
    await expectCode(route, call(), 401, 'token_invalid');
  });

  it('refuses a token that has expired', async () => {
    setClock(new Date(Date.now() + 16 * 60_000));
    await expectCode(route, {}, 401, 'token_expired').finally(() => setClock());
  });
});

const withIds = routes.filter(({ contract }) => contract.path);
describe.each(withIds.map((route, index) => ({ ...route, index })))('$method $path', ({ index, ...route }) => {
  // In a quick run, the routes share the ids out among themselves.
  it.each(someOf(BAD_IDS, index, 2))('does not find the id %s', async (id) => {
    const path = route.path.replace('{id}', id);
    for (const language of LANGUAGES) {
      const [method, , call] = validCall(route, {}, language);
      const answer = await (language === 'es' ? server.request : server.invoke)(method, path, call);
      expectRefusal(answer, 404, language);
      expect(answer.body.code).toBe('not_found');
    }
  });
});

describe.each(routes.filter(({ contract }) => contract.headers))('$method $path', (route) => {
  const cases = Object.keys(route.contract.headers?.shape ?? {}).flatMap((name) =>
    (BAD_HEADERS[name]?.values ?? []).map((value) => [name, value] as const),
  );
  it.each(cases)('refuses the header %s: %j', async (name, value) => {
    const { es = '', en = '' } = BAD_HEADERS[name]?.texts ?? {};
    await expectErrors(route, { headers: { [name]: value } }, { es: { [name]: [es] }, en: { [name]: [en] } });
  });
});

describe.each(routes.filter(({ contract }) => contract.query))('$method $path', (route) => {
  const cases = Object.keys(route.contract.query?.shape ?? {}).flatMap((name) =>
    (BAD_PARAMETERS[name] ?? []).map((value) => [name, value] as const),
  );
  it.each(cases)('refuses %s=%s', async (name, value) => {
    const [method, path, call] = validCall(route);
    const target = `${path}?${name}=${encodeURIComponent(value)}`;
    const spanish = await server.request(method, target, call);
    expectRefusal(spanish, 400, 'es');
    expect(spanish.body).toEqual({ [name]: [expect.any(String)] });
    // The first bad value of a parameter is refused in both languages.
    if (value !== BAD_PARAMETERS[name]?.[0]) return;
    const english = await server.invoke(method, target, { ...call, headers: { 'Accept-Language': 'en' } });
    expectRefusal(english, 400, 'en');
    expect(english.body).toEqual({ [name]: [expect.any(String)] });
    expect(english.body[name]).not.toEqual(spanish.body[name]);
  });
});

// `http/edge` has what a body may and may not be; these are its rules on every route.
describe.each(routes.filter(({ contract }) => contract.body))('the body of $method $path', (route) => {
  const written = JSON.stringify(WHOLE_BODIES[nameOf(route)]);
  const most = route.contract.carriesDocuments ? 5.5 * MB : 256 * 1024;

  it('needs a content type of JSON', async () => {
    const answer = await server.request(...validCall(route, { body: Buffer.from(written) }));
    expectRefusal(answer, 415, 'es');
    expect(answer.body.code).toBe('not_json');
    await expectCode(route, { body: written, headers: { 'Content-Type': 'text/json' } }, 415, 'not_json');
  });

  it.each([
    ['nothing', ''],
    ['after a byte order mark', `\ufeff${written}`],
    ['a text with a line break', `{"email":"${MARK}\n"}`],
    ['100,000 arrays that are never closed', '['.repeat(100_000)],
  ])('is malformed when it is %s', async (_, body) => {
    await expectCode(route, { body }, 400, 'malformed_json');
  });

  it.each(['[]', `"${MARK}"`, '1e400'])('has to be an object and not %s', async (body) => {
    const [es, en] = [{ non_field_errors: [OBJECT.es] }, { non_field_errors: [OBJECT.en] }];
    await expectErrors(route, { body }, { es, en });
  });

  it(`can have up to ${most} bytes`, async () => {
    const padded = (bytes: number) => ({ body: written + ' '.repeat(bytes - Buffer.byteLength(written)) });
    expect((await server.request(...validCall(route, padded(most)))).status).toBe(successStatus(route));
    await expectCode(route, padded(most + 1), 413, 'body_too_large');
  });

  it('may have unknown fields, which are ignored, but no __proto__ key', async () => {
    const spoilt = (field: string) => ({ body: written.replace('{', `{${field},`) });
    const unknown = spoilt(
      `"constructor":{"prototype":{"role":"doctor"}},"toString":1,"x":${'['.repeat(500)}${']'.repeat(500)}`,
    );
    expect((await server.request(...validCall(route, unknown))).status).toBe(successStatus(route));
    await expectCode(route, spoilt('"__proto__":{"role":"doctor"}'), 400, 'malformed_json');
    expect(({} as Record<string, unknown>).role).toBeUndefined();
  });
});

const REQUIRED: Texts = { es: 'Este campo es obligatorio.', en: 'This field is required.' };
const NULL: Texts = { es: 'Este campo no puede ser nulo.', en: 'This field may not be null.' };
const BLANK: Texts = { es: 'Este campo no puede estar vacío.', en: 'This field may not be blank.' };
const TEXT: Texts = { es: 'Debe ser un texto.', en: 'It must be a string.' };
const NUMBER: Texts = { es: 'Debe ser un número.', en: 'It must be a number.' };
const INTEGER: Texts = { es: 'Debe ser un número entero.', en: 'It must be an integer.' };
const DECIMAL: Texts = { es: 'Debe ser un número decimal.', en: 'It must be a decimal number.' };
const AMOUNT: Texts = {
  es: 'Debe ser un monto de 0 o más con a lo más dos decimales.',
  en: 'It must be an amount of 0 or more with at most two decimals.',
};
const BOOLEAN: Texts = { es: 'Debe ser true o false.', en: 'It must be true or false.' };
const OBJECT: Texts = { es: 'Debe ser un objeto.', en: 'It must be an object.' };
const INVOICING_OR_ID: Texts = {
  es: 'Debe ser el objeto con los datos de facturación o el id de unos guardados.',
  en: 'It must be the object with the invoicing data or the id of stored ones.',
};
const ARRAY: Texts = { es: 'Debe ser una lista.', en: 'It must be an array.' };
const DATE: Texts = {
  es: 'Debe ser una fecha AAAA-MM-DD que exista.',
  en: 'It must be an existing date YYYY-MM-DD.',
};
const EMAIL: Texts = { es: 'Debe ser un correo electrónico válido.', en: 'It must be a valid e-mail address.' };
const ZIPCODE: Texts = { es: 'El código postal debe tener 5 dígitos.', en: 'The zip code must have 5 digits.' };
const atMost = (maximum: number): Texts => ({
  es: `Debe ser menor o igual a ${maximum}.`,
  en: `It must be ${maximum} or less.`,
});
const atLeast = (minimum: number): Texts => ({
  es: `Debe ser mayor o igual a ${minimum}.`,
  en: `It must be ${minimum} or more.`,
});
const tooLong = (maximum: number): Texts => ({
  es: `Debe tener a lo más ${maximum} caracteres.`,
  en: `It must have at most ${maximum} characters.`,
});
const tooMany = (maximum: number): Texts => ({
  es: `Debe tener a lo más ${maximum} elementos.`,
  en: `It must have at most ${maximum} elements.`,
});
const tooFew = (minimum: number): Texts => ({
  es: `Debe tener ${minimum} o más elementos.`,
  en: `It must have ${minimum} or more elements.`,
});
const oneOfTexts = (choices: readonly string[]): Texts => ({
  es: `Debe ser uno de: ${choices.join(', ')}.`,
  en: `It must be one of: ${choices.join(', ')}.`,
});
const betweenTexts = (bound: number): Texts => ({
  es: `Debe estar entre -${bound} y ${bound} grados.`,
  en: `It must be between -${bound} and ${bound} degrees.`,
});

const TOO_MANY: Readonly<Record<string, Texts>> = {
  prescriptions: { es: 'A lo más 10 recetas por orden.', en: 'At most 10 prescriptions an order.' },
};

const TOO_LONG: Readonly<Record<string, Texts>> = {
  document: { es: 'Cada documento admite hasta 3 MB.', en: 'Each document may have up to 3 MB.' },
};

type BadValue = readonly [value: unknown, ...texts: Texts[]];
type Located = BodyField & {
  /** The indices of the field among all fields and among those of its form. */
  readonly index: number;
  readonly likeness: number;
};
const each = (values: readonly unknown[], ...texts: Texts[]): BadValue[] => values.map((value) => [value, ...texts]);

const NO_DATES = [
  MARK,
  '',
  '2026-02-30',
  '2026-13-01',
  '2026-1-1',
  '0000-01-01',
  '2026-01-01T00:00:00Z',
  ' 2026-01-01',
  '20260101',
];
/** Lists values of the right type and the wrong format, by the name of the field. */
const BAD_FORMS: Readonly<Record<string, BadValue[]>> = {
  birthdate: each(NO_DATES, DATE),
  issue_date: each(NO_DATES, DATE),
  expiring_date: each(NO_DATES, DATE),
  zipcode: each([MARK, '', '1234', '123456', ' 6700', '0670a', '٠٦٧٠٠', '06700\n'], ZIPCODE),
  email: each(
    [MARK, '@', 'a@b', 'a b@c.mx', 'a@@b.mx', 'a@b..mx', 'ñ@b.mx', 'a@b.mx,c@d.mx', `<a@b.mx>`, 'a\n@b.mx'],
    EMAIL,
  ),
  latitude: [
    ...each([MARK, '', '1e1', '1,5', '0x1', ' 1', '+1', 'NaN'], DECIMAL),
    ...each([90.1, '-90.0000001', 1e308], betweenTexts(90)),
  ],
  expected_total: [
    ...each([MARK, '', '-1', '1,5', ' 1', '1.234', 1.005, '1'.repeat(15)], AMOUNT),
    ...each([-0.01], atLeast(0)),
  ],
  longitude: [...each([MARK, '1.', '.5', '--1'], DECIMAL), ...each([-180.1, '181', 999], betweenTexts(180))],
};

/** Returns values with each kind of error; in a quick run, fields share the many values of one kind out among themselves. */
function badValues({
  place,
  index,
  likeness,
  isRequired,
  isNullable,
  types,
  choices,
  pattern,
  minimum,
  maximum = 0,
}: Located): BadValue[] {
  const name = String(place.at(-1));
  const longest = () => (name === 'email' && pattern ? `${'x'.repeat(maximum - 4)}@b.mx` : 'x'.repeat(maximum + 1));
  return [
    ...(isRequired ? each([undefined], REQUIRED) : []),
    ...(isNullable ? [] : each([null], NULL)),
    ...(choices ? each([MARK, '', 'm', 7, true, [], {}], oneOfTexts(choices)) : []),
    ...(types === 'string' && !choices ? each(someOf([7, 0, true, false, {}, { [MARK]: 1 }, []], index, 2), TEXT) : []),
    ...(types === 'integer' ? [...each(['1', MARK, '', true, {}, []], NUMBER), ...each([1.5, -0.1], INTEGER)] : []),
    ...(types === 'number,string' ? each([true, {}, [], [1]], DECIMAL) : []),
    ...(types === 'boolean' ? each([MARK, 'true', 1, {}, []], BOOLEAN) : []),
    ...(types === 'integer,object' ? each([MARK, '1', 1.5, true, [], [{}]], INVOICING_OR_ID) : []),
    ...(types === 'object' ? each([MARK, 7, true, [], [{}]], OBJECT) : []),
    ...(types === 'array' ? each([MARK, 7, true, {}, { 0: {} }], ARRAY) : []),
    ...(types === 'string' && minimum === 1 && !pattern ? each([''], BLANK) : []),
    ...(types === 'string' && maximum > 0 && !FORMED.has(name)
      ? each([longest()], TOO_LONG[name] ?? tooLong(maximum))
      : []),
    ...(types === 'integer' && minimum === 0 ? each([-1], atLeast(0)) : []),
    ...(types === 'integer' && maximum < Number.MAX_SAFE_INTEGER ? each([maximum + 1], atMost(maximum)) : []),
    ...(types === 'array' && minimum ? each([[]], tooFew(minimum)) : []),
    ...(types === 'array' && maximum > 0
      ? each([Array(maximum + 1).fill({})], TOO_MANY[name] ?? tooMany(maximum))
      : []),
    ...(pattern || DATES.has(name) ? someOf(BAD_FORMS[name] ?? [], likeness, 4) : []),
  ];
}
// The JSON Schema of these fields has no pattern.
const DATES = new Set(['birthdate', 'issue_date', 'expiring_date']);
// A longer text has another form than these fields, which is what its error says.
const FORMED = new Set([...DATES, 'zipcode']);

function findForm({ place }: BodyField): string {
  const name = String(place.at(-1));
  return DATES.has(name) ? 'date' : name;
}

const bodies = routes.flatMap((route) =>
  route.contract.body ? bodyFields(route.contract.body).map((field) => ({ route, field })) : [],
);
const fieldCases = bodies.map(({ route, field }, index) => {
  const isLike = (one: (typeof bodies)[number]) => findForm(one.field) === findForm(field);
  const located = { ...field, index, likeness: bodies.slice(0, index).filter(isLike).length };
  return { route, field: located, name: `${route.path} ${field.place.join('.')}` };
});

describe('a field', () => {
  it('with a pattern has bad values of that pattern', () => {
    const patterns = bodies.flatMap(({ field }) => (field.pattern ? [String(field.place.at(-1))] : []));
    expect(Object.keys(BAD_FORMS)).toEqual(expect.arrayContaining([...new Set(patterns)]));
  });

  it.each(fieldCases)('is refused under its own name: $name', async ({ route, field }) => {
    const sample = WHOLE_BODIES[nameOf(route)] ?? {};
    const values = badValues(field);
    expect(values.length).toBeGreaterThan(0);
    for (const [number, [value, ...texts]] of values.entries()) {
      const body = withValue(sample, field.place, value);
      const error = (language: Language) =>
        refusalAt(
          field.place,
          texts.map((text) => text[language]),
        );
      // Each text is expected in both languages once, of the handler alone in the other one.
      const isKnown = values.slice(0, number).some(([, ...earlier]) => earlier[0] === texts[0]);
      if (isKnown) await expectErrorIn('es', route, { body }, error('es'));
      else await expectErrors(route, { body }, { es: error('es'), en: error('en') });
    }
  });
});

describe('a number', () => {
  const NUMBERS = ['integer', 'number,string'];
  it.each(fieldCases.filter(({ field }) => NUMBERS.includes(field.types)))('has to be exact: $name', async (one) => {
    const { route, field } = one;
    const RAW = '@raw@';
    const sample = JSON.stringify(withValue(WHOLE_BODIES[nameOf(route)] ?? {}, field.place, RAW));
    const send = (raw: string) => server.request(...validCall(route, { body: sample.replace(`"${RAW}"`, raw) }));
    for (const raw of ['1e400', '-1e400', '1e21']) expectRefusal(await send(raw), 400, 'es');
    const isCoordinate = /itude$/.test(String(field.place.at(-1)));
    for (const raw of isCoordinate ? ['-0', '1e-7', '"-0.0000004"', '45.1234565'] : []) {
      expect([raw, (await send(raw)).status]).toEqual([raw, successStatus(route)]);
    }
  });
});
