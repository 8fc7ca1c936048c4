import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type ApiDescription,
  type Call,
  DESCRIPTION,
  listCalls,
  needsToken,
  readJson,
  readJsonMedia,
  resolveReference,
  type Schema,
} from '../../../infra/api/description.ts';
import { routes } from '../../../shared/api/routes.ts';
import { bodyFields, nameOf, type Place, WHOLE_BODIES, withValue } from '../../support/hostile/whole-bodies.ts';
import type { HttpAnswer } from '../../support/http/http.ts';
import { tries } from '../../support/proofs/proof.ts';
import { useServer } from '../../support/servers/test-server.ts';

// Every operation of the API description is called with drawn values: those that it allows, and those that it does not. An
// answer is never 5xx, has a status and a body that the description names (`invoke` checks it), and refuses each broken part
// at its place. `contract/bad-values` has the code of each wrong value, `unit/http/edge` the rules of every body, `proofs/access` and
// `proofs/refusals` the callers without valid credentials.

const description = readJson(DESCRIPTION) as ApiDescription;
const calls = listCalls(description).map((call) => ({ call, name: `${call.method} ${call.path}` }));
const RUNS = { numRuns: tries(12, 250) };

const server = useServer();
let token: string;
let orderId: number;
beforeAll(async () => {
  token = await server.login('aseguradora@demo.example');
  orderId = (await server.placeOrder('fuzz@example.mx')).id;
});

type Sent = {
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly id?: string;
};

/** Calls the handler of an operation; by default with valid credentials, an id that exists and an accepted body. */
async function send(
  { method, path, ...call }: Call,
  { query = '', body, headers = {}, id }: Sent = {},
): Promise<HttpAnswer> {
  const target = path.replace('{id}', encodeURIComponent(id ?? (path.includes('orders') ? String(orderId) : '1')));
  const credentials = needsToken({ method, path, ...call }) && !('Authorization' in headers) ? { token } : {};
  const json = body ?? WHOLE_BODIES[nameOf({ method, path } as never)];
  const answer = await server.invoke(method, query === '' ? target : `${target}?${query}`, {
    ...credentials,
    headers,
    ...(json !== undefined && { body: json as object }),
  });
  expect(answer.status, `${method} ${target}?${query} ${JSON.stringify(json)}`).toBeLessThan(500);
  return answer;
}

const resolve = (schema: Schema): Schema => resolveReference(schema, description) as Schema;

/** Values that the forms of texts allow, which no random text has. */
const FORMED: readonly (readonly [RegExp, ...string[]])[] = [
  [/mail/, 'ana@example.mx', 'A.B+c@sub.example.com'],
  [/date|before|after/, '2026-02-28', '2024-02-29', '9999-12-31'],
  [/zip/, '06700', '00000', '99999'],
  [/itude|price|total/, '19.43', '0', '-1.5'],
  [/folio/, 'RX-00000001', 'rx-999999999'],
  [/Key/, 'order-key-1'],
];

/** Draws values that a schema allows. */
function draw(schema: Schema, name: string): fc.Arbitrary<unknown> {
  const { type, enum: choices, anyOf, items, properties, required = [], ...bounds } = resolve(schema);
  if (choices) return fc.constantFrom(...choices);
  if (anyOf) return fc.oneof(...anyOf.map((option) => draw(option, name)));
  const [minimum, maximum] = [Number(bounds.minimum ?? -1), Number(bounds.maximum ?? 2 ** 53 - 1)];
  const kinds: Readonly<Record<string, () => fc.Arbitrary<unknown>>> = {
    null: () => fc.constant(null),
    boolean: () => fc.boolean(),
    integer: () => fc.oneof(fc.constantFrom(1, 2, 3, minimum, maximum), fc.integer({ min: minimum, max: maximum })),
    number: () => fc.double({ min: 0, max: 99, noNaN: true }).map((number) => Math.round(number * 100) / 100),
    array: () => fc.array(draw(items || {}, name), { minLength: Number(bounds.minItems ?? 0), maxLength: 3 }),
    object: () => {
      const fields = Object.entries(properties ?? {}).map(([field, one]) => [field, draw(one, field)]);
      return fc.record(Object.fromEntries(fields), { requiredKeys: [...required] as never[] });
    },
    string: () => {
      const [, ...formed] = FORMED.find(([form]) => form.test(name)) ?? [/x/];
      const longest = Math.min(Number(bounds.maxLength ?? 30), 30);
      const text = fc.string({ unit: 'grapheme', minLength: Number(bounds.minLength ?? 0), maxLength: longest });
      return formed.length > 0 ? fc.constantFrom(...formed) : text;
    },
  };
  return fc.oneof(...[type ?? 'string'].flat().map((kind) => kinds[kind]?.() ?? fc.constant(null)));
}

const toText = (value: unknown): string => (Array.isArray(value) ? value.join() : String(value));
const drawQuery = ({ parameters }: Call): fc.Arbitrary<string> => {
  const own = parameters.filter((parameter) => parameter.in === 'query');
  const fields = own.map(({ name, schema }) => [name, draw(schema, name)]);
  return fc
    .record(Object.fromEntries(fields), { requiredKeys: [] })
    .map((values) =>
      new URLSearchParams(
        Object.entries(values).map(([name, value]) => [name, toText(value).toWellFormed()]),
      ).toString(),
    );
};
const bodySchema = ({ operation }: Call): Schema | undefined => readJsonMedia(operation.requestBody ?? {}).schema;

describe.each(calls)('$name', ({ call }) => {
  const schema = bodySchema(call);

  it('answers what the description allows as it says', async () => {
    const sent = fc.record({ query: drawQuery(call), body: schema ? draw(schema, 'body') : fc.constant(undefined) });
    await fc.assert(
      fc.asyncProperty(sent, async (one) => {
        await send(call, one);
      }),
      RUNS,
    );
  });

  it('refuses a wrong value of a parameter under its name', async () => {
    const isFree = ({ schema: own }: (typeof call.parameters)[number]) =>
      own.type === 'string' && !own.format && !own.pattern;
    const strict = call.parameters.filter((one) => one.in === 'query' && !isFree(one) && one.name !== 'ean_key__in');
    if (strict.length === 0) return;
    const wrong = fc.tuple(
      fc.constantFrom(...strict),
      fc.constantFrom(',', '1,x', 'NaN', '2026-02-30', '\0', '💊', '-'),
    );
    await fc.assert(
      fc.asyncProperty(wrong, async ([{ name }, value]) => {
        const answer = await send(call, { query: new URLSearchParams({ [name]: value }).toString() });
        expect([value, answer.status, Object.keys(answer.body)]).toEqual([value, 400, [name]]);
      }),
      RUNS,
    );
  });

  it('does not find what no id names', async () => {
    if (!call.path.includes('{id}')) return;
    for (const id of ['0', '-1', '01', '1.5', '9'.repeat(400), 'x', ' ', '\0', '1;1', '💊'])
      expect([id, (await send(call, { id })).body.code]).toEqual([id, 'not_found']);
  });
});

const ajv = addFormats
  .default(new Ajv2020({ strict: false }))
  .addSchema({ $id: 'api', components: { schemas: description.components.schemas } });
const compile = (schema: Schema): ValidateFunction =>
  ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')));

const valueAt = (value: unknown, place: Place): unknown =>
  place.reduce<unknown>((inner, step) => (inner as Record<string | number, unknown> | undefined)?.[step], value);

const VALUES = [
  null,
  true,
  7,
  -1,
  1.5,
  1e15,
  '',
  'x',
  '2026-02-30',
  'x'.repeat(300),
  [],
  {},
  [[]],
  [null],
  [{}],
  { x: 1 },
];

describe.each(calls.filter(({ call }) => call.operation.requestBody))('the body of $name', ({ call, name }) => {
  const route = routes.find((one) => nameOf(one) === name);
  const sample = WHOLE_BODIES[name] ?? {};
  const allows = compile(bodySchema(call) ?? {});

  it('is refused at the place where it is broken', async () => {
    const places = route?.contract.body ? bodyFields(route.contract.body).map(({ place }) => place) : [];
    const broken = fc.tuple(fc.constantFrom(...places), fc.constantFrom(undefined, ...VALUES));
    await fc.assert(
      fc.asyncProperty(broken, async ([place, value]) => {
        const body = withValue(sample, place, value);
        const isAllowed = allows(JSON.parse(JSON.stringify(body)));
        const answer = await send(call, { body });
        if (isAllowed) return;
        expect([place, value, answer.status]).toEqual([place, value, 400]);
        // A rule of several fields is broken at their object.
        expect(JSON.stringify(valueAt(answer.body, place) ?? answer.body.non_field_errors)).toMatch(/\[".+"\]/);
      }),
      { numRuns: tries(60, 1_000) },
    );
  });

  it('is refused when it is no JSON, no object, too large or of another type', async () => {
    const json = JSON.stringify(sample);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: route?.contract.isBodyOptional ? 1 : 0, max: json.length - 1 }),
        async (end) => {
          const answer = await send(call, { body: json.slice(0, end) });
          expect(answer.body.code).toBe('malformed_json');
        },
      ),
      RUNS,
    );
    for (const body of ['[]', '"x"', '1e400', 'null'])
      expect(Object.keys((await send(call, { body })).body)).toEqual(['non_field_errors']);
    expect((await send(call, { body: json, headers: { 'Content-Type': 'text/json' } })).body.code).toBe('not_json');
    const most = route?.contract.carriesDocuments ? 5.5 * 1024 * 1024 : 256 * 1024;
    const padded = json + ' '.repeat(most + 1 - Buffer.byteLength(json));
    expect((await send(call, { body: padded })).body.code).toBe('body_too_large');
  });
});

it('an operation needs an API key, whose refusal is in both languages', async () => {
  for (const { call } of calls)
    for (const key of [null, 'unknown']) {
      const answer = await server.request(call.method, call.path.replace('{id}', '1'), { key });
      expect([answer.status, answer.body.code, answer.headers['content-language']]).toEqual([
        403,
        'api_key_invalid',
        'es, en',
      ]);
    }
});
