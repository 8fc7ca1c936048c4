import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Route, routes } from '../../shared/api/routes.ts';
import { RULES, TOGETHER } from '../support/hostile/fuzz-rules.ts';
import {
  brokenValue,
  type Meaning,
  type Schema,
  validDate,
  validText,
  validValue,
} from '../support/hostile/fuzz-schema.ts';
import { nameOf } from '../support/hostile/whole-bodies.ts';
import type { Call } from '../support/http/call.ts';
import type { HttpAnswer } from '../support/http/http.ts';
import { manyAtOnce } from '../support/load/many-at-once.ts';
import { orderBody } from '../support/orders/samples.ts';
import { withPatience } from '../support/proofs/patience.ts';
import { prove, seed, tries } from '../support/proofs/proof.ts';
import { openTestServer, type TestServer } from '../support/servers/test-server.ts';

const REQUESTS = tries(40, 10_000);
const AT_ONCE = 8;
const ORDERS = 20;

type Parameter = { readonly name: string; readonly in: string; readonly required?: true; readonly schema: Schema };
type Operation = {
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: { readonly $ref: string } } };
  };
};
const {
  paths,
  components,
}: {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
} = JSON.parse(readFileSync(join(import.meta.dirname, '../../infra/api/openapi.json'), 'utf8'));

const { schemas } = components;
// The field also accepts the id of an existing record, which cannot be drawn at random.
const receiver = validValue({ $ref: '#/components/schemas/InvoicingInput' }, { schemas, rules: RULES });
const meaning: Meaning = { schemas, rules: { ...RULES, 'InvoiceRequest.invoicing': receiver } };
const ajv = addFormats.default(new Ajv2020({ strict: false })).addSchema({ $id: 'api', components });

let server: TestServer;
let token: string;
let orders: readonly number[];
beforeAll(async () => {
  server = withPatience(await openTestServer());
  token = await server.login('aseguradora@demo.example');
  const bodies = Array.from({ length: ORDERS }, (_, index) => orderBody(`orden-${index}@demo.example`));
  const placed = await Promise.all(
    bodies.map((body) => server.invoke('POST', '/api/orders/resources/', { token, body })),
  );
  orders = placed.map(({ body }) => body.id);
});
afterAll(() => server.close());

const lastSegment = (address: string): string => address.split('/').at(-1) ?? '';

function findOperation({ method, path }: Route): { parameters: Parameter[]; body: string | undefined } {
  const { parameters = [], requestBody } = paths[path]?.[method.toLowerCase()] ?? {};
  const resolved = parameters.map(
    (one) => ('$ref' in one ? components.parameters[lastSegment(one.$ref)] : one) as Parameter,
  );
  const reference = requestBody?.content['application/json'].schema.$ref;
  return { parameters: resolved, body: reference && lastSegment(reference) };
}

/** A request without its order: `nth` picks an existing order, or now and then an unknown one. */
type Draft = {
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Record<string, string>;
  readonly body?: unknown;
  readonly nth: number;
};

const toText = (value: unknown): string => (Array.isArray(value) ? value.join(',') : String(value));

/** Draws values for some of the parameters in this place. */
const drawParameters = (
  parameters: readonly Parameter[],
  place: 'query' | 'header',
): fc.Arbitrary<Record<string, string>> => {
  const own = parameters.filter((parameter) => parameter.in === place);
  return fc.record(
    Object.fromEntries(
      own.map(({ name, schema }) => [name, PARAMETERS[name] ?? validValue(schema, meaning).map(toText)]),
    ),
    { requiredKeys: [] },
  ) as fc.Arbitrary<Record<string, string>>;
};

const languages = fc.constantFrom('es', 'en', 'en-GB, es;q=0.5', '*', 'fr', '');
// The API description does not ensure that searches match some records or that headers are ASCII; these values do.
const PARAMETERS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'Accept-Language': languages,
  'If-None-Match': fc.constantFrom('"x"', 'W/"x"', '', 'x, y'),
  Prefer: fc.constantFrom('handling=strict', 'handling=lenient', 'respond-async', ''),
  // The API description does not say what a cursor holds.
  cursor: fc.constant(''),
  phone: fc.constantFrom('+525512345678', '+52 55 1234 5678'),
  page: fc.constantFrom('1', '1', '1', '2', '999999'),
  search: fc.oneof(fc.constantFrom('para', 'ana paz', 'ácido'), validText(0, 200)),
  ean_key__in: fc.oneof(fc.constant('7509999000013'), validText(0, 20)),
  expected_delivery_date_after: validDate('2026-01-01', '2027-01-01'),
};

/** Leaves out the number of a page if a list is read by cursor. */
const withoutContradiction = ({ page, ...others }: Record<string, string>): [string, string][] =>
  Object.entries(page === undefined || 'cursor' in others ? others : { page, ...others });

function drawValid(route: Route): fc.Arbitrary<Draft> {
  const { parameters, body } = findOperation(route);
  const together = (value: unknown) => (TOGETHER[body ?? ''] ?? ((same) => same))(value as Record<string, unknown>);
  return fc.record({
    query: drawParameters(parameters, 'query').map(withoutContradiction),
    headers: drawParameters(parameters, 'header'),
    nth: fc.nat({ max: ORDERS }),
    ...(body && { body: validValue(components.schemas[body] ?? {}, meaning, body).map(together) }),
  });
}

/** Draws a request with an invalid body or parameter; returns undefined if the route has nothing to make invalid. */
function drawInvalid(route: Route): fc.Arbitrary<Draft> | undefined {
  const { parameters, body } = findOperation(route);
  const valid = drawValid(route);
  if (body) {
    const validate = ajv.compile({ $ref: `api#/components/schemas/${body}` });
    const broken = brokenValue(
      valid.map((draft) => draft.body),
      (value) => validate(value),
    );
    return fc.tuple(valid, broken).map(([draft, value]) => ({ ...draft, body: value }));
  }
  const breakable = parameters.filter(({ in: place, schema }) => place === 'query' && BROKEN[String(schema.type)]);
  if (breakable.length === 0) return undefined;
  return fc.tuple(valid, fc.oneof(...breakable.map(drawInvalidParameter))).map(([draft, [name, value]]) => ({
    ...draft,
    query: [...draft.query.filter(([other]) => other !== name), [name, value] as const],
  }));
}

const text = fc.string({ unit: 'binary' }).filter((value) => value.isWellFormed());
const drawUnlike = (pattern: RegExp) =>
  fc.oneof(text, fc.constantFrom('', ' ', '1.5', '1e3', '0x1', 'null', '[]')).filter((value) => !pattern.test(value));
/** Draws, for each parameter type, texts that no notation of the type allows. */
const BROKEN: Readonly<Record<string, fc.Arbitrary<string>>> = {
  integer: drawUnlike(/^-?\d+$/),
  number: drawUnlike(/^[\s\d.eE+-]*$/),
  boolean: drawUnlike(/^(true|false|0|1)$/i),
};

function drawInvalidParameter({ name, schema }: Parameter): fc.Arbitrary<readonly [string, string]> {
  return (BROKEN[String(schema.type)] ?? fc.constant('')).map((value) => [name, value] as const);
}

function send(route: Route, draft: Draft): Promise<HttpAnswer> {
  const id = route.path.includes('orders') ? (orders[draft.nth] ?? 999_999) : 1 + draft.nth * 10;
  const query = new URLSearchParams(draft.query.map(([name, value]): [string, string] => [name, value])).toString();
  const path = route.path.replace('{id}', String(id)) + (query === '' ? '' : `?${query}`);
  const call: Call = {
    headers: draft.headers,
    ...(route.authentication === 'user' && { token }),
    ...('body' in draft && { body: JSON.stringify(draft.body) }),
  };
  // The test server checks each answer against the API description.
  return server.invoke(route.method, path, call);
}

/** Sends `count` requests and returns their statuses and those with another answer than `isRight` says. */
async function sendAll(
  route: Route,
  drafts: fc.Arbitrary<Draft>,
  count: number,
  isRight: (status: number) => boolean,
): Promise<{ wrong: unknown[]; statuses: number[] }> {
  const all = fc.sample(drafts, { numRuns: count, seed: seed() });
  const statuses: number[] = [];
  const wrong = await manyAtOnce(count, AT_ONCE, async (index) => {
    const draft = all[index] as Draft;
    const answer = await send(route, draft).catch((error: Error) => error.message);
    if (typeof answer === 'string') return [{ draft, answer }];
    statuses.push(answer.status);
    return isRight(answer.status) ? [] : [{ draft, answer: [answer.status, answer.body] }];
  });
  return { wrong: wrong.flat(), statuses };
}

const LOGIN = 'POST /api/token/';
// Nobody has a random password, no order waits for prescriptions or is collected online, and PATCH has cancelled or invoiced the orders before PUT.
const IN_VAIN = [
  LOGIN,
  'POST /api/orders/{id}/payment/',
  'POST /api/orders/{id}/prescriptions/',
  'PUT /api/orders/{id}/request-invoice/',
];

describe('requests drawn from the API description', () => {
  it.each(routes)('get the answers that it describes: $method $path', async (route) => {
    const name = nameOf(route);
    const broken = drawInvalid(route);
    const count = broken ? REQUESTS / 2 : REQUESTS;
    const valid = await sendAll(route, drawValid(route), count, (status) => status < 500 && status !== 400);
    // A password may be wrong in more ways than the description tells, and an idempotency key may be drawn twice.
    const refused = name === LOGIN ? [400, 401, 429] : [400, 422];
    const invalid = broken && (await sendAll(route, broken, count, (status) => refused.includes(status)));
    const wrong = [...valid.wrong, ...(invalid?.wrong ?? [])];
    expect(JSON.stringify(wrong.slice(0, 3), null, 1), `SEED=${seed()}`).toBe('[]');
    if (!IN_VAIN.includes(name)) expect(Math.min(...valid.statuses)).toBeLessThan(300);
    prove({ check: `Fuzz: ${name}`, tries: REQUESTS, lost: wrong.length });
  });
});
