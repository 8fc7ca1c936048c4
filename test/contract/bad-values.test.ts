import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { DESCRIPTION } from '../../infra/api/description.ts';
import type { DescribedContract } from '../../shared/api/contract.ts';
import { lines, optionalText, plainText, requiredText, searchText } from '../../shared/api/fields.ts';
import { routes } from '../../shared/api/routes.ts';
import { toValidationErrors } from '../../shared/http/errors.ts';
import {
  type BodyField,
  bodyFields,
  nameOf,
  type Place,
  WHOLE_BODIES,
  withValue,
} from '../support/hostile/whole-bodies.ts';

// Every field of every body, parameter and header has a bound, refuses each kind of wrong value under its own path and code,
// keeps what reads the same of a nasty text, and takes no field that it does not know. `api-fuzz` sends such calls to the handlers.

function errorsOf(schema: z.ZodObject, input: object): string[] {
  const { error } = schema.safeParse(input);
  return toValidationErrors(error?.issues ?? [], input).map(({ path, code }) => `${path.join('.')} ${code}`);
}

const bodies = routes.flatMap((route) => {
  const { body } = route.contract;
  return body ? [{ route, body, sample: WHOLE_BODIES[nameOf(route)] ?? {}, fields: bodyFields(body) }] : [];
});
const cases = bodies.flatMap(({ route, body, sample, fields }) =>
  fields.map((field) => ({ body, sample, field, name: `${nameOf(route)} ${field.place.join('.')}` })),
);
const valueAt = (value: unknown, place: Place): unknown =>
  place.reduce<unknown>((inner, step) => (inner as Record<string | number, unknown> | null)?.[step], value);
const nameOfField = ({ place }: BodyField): string => String(place.at(-1));

const NO_DATE = [
  ...['x', '', '2026-02-30', '2025-02-29', '2100-02-29', '2026-13-01', '2026-04-31', '0000-01-01', '20260101'],
  ...['2026-1-1', '2026-00-10', '2026-01-00', '2026-01-01T00:00:00Z', ' 2026-01-01'],
];
const NO_EMAILS = [
  'x',
  '@',
  'a@b',
  'a b@c.mx',
  'a@@b.mx',
  'a@b..mx',
  'ñ@b.mx',
  'a@b.mx,c@d.mx',
  '<a@b.mx>',
  'a\n@b.mx',
];

/** Values of the right type and the wrong form, by the name of the field and the code that refuses them. */
const BAD_FORMS: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {
  birthdate: { not_a_date: NO_DATE },
  issue_date: { not_a_date: NO_DATE },
  expiring_date: { not_a_date: NO_DATE },
  zipcode: { not_a_zipcode: ['x', '', '1234', '123456', ' 6700', '0670a', '٠٦٧٠٠', '06700\n'] },
  email: { not_an_email: NO_EMAILS },
  latitude: {
    not_a_decimal: ['x', '', '1e1', '1,5', '0x1', ' 1', '+1', 'NaN', '1.', '.5', '--1'],
    coordinate_out_of_90: [90.1, '-90.0000001', 1e308],
  },
  longitude: { not_a_decimal: ['x', '1.', '.5'], coordinate_out_of_180: [-180.1, '181', 999] },
  expected_total: {
    not_an_amount: ['x', '', '-1', '1,5', ' 1', '1.234', 1.005, '1'.repeat(15)],
    too_small: [-0.01],
  },
};
// A longer text has another form than these fields, which is what their error says.
const FORMED = new Set(['birthdate', 'issue_date', 'expiring_date', 'zipcode']);

/** The code of a wrong type, and values of it, by the types of a field. */
const WRONG_TYPES: Readonly<Record<string, readonly [code: string, ...values: unknown[]]>> = {
  string: ['not_text', 7, 0, true, false, {}, []],
  integer: ['not_a_number', '1', 'x', '', true, {}, []],
  'number,string': ['not_a_decimal', true, {}, [], [1]],
  boolean: ['not_a_boolean', 'x', 'true', 1, {}, []],
  'integer,object': ['not_an_invoicing', 'x', '1', 1.5, true, [], [{}]],
  object: ['not_an_object', 'x', 7, true, [], [{}]],
  array: ['not_an_array', 'x', 7, true, {}, { 0: {} }],
};

/** Lists wrong values of a field by the code that refuses them. */
function listWrong(field: BodyField): [code: string, ...values: unknown[]][] {
  const { types, choices, pattern, minimum, maximum = 0, isRequired, isNullable } = field;
  const name = nameOfField(field);
  const length = types === 'string' ? maximum : 0;
  const longest = name === 'email' && pattern ? `${'x'.repeat(length - 4)}@b.mx` : 'x'.repeat(length + 1);
  const [isText, isInteger, isArray] = [types === 'string' && !choices, types === 'integer', types === 'array'];
  const own = choices ? ['not_a_choice', 'x', '', 'm', 7, true, [], {}] : (WRONG_TYPES[types] ?? []);
  const when = (holds: boolean, code: string, value: unknown) => (holds ? [[code, value] as [string, unknown]] : []);
  return [
    own as [string, ...unknown[]],
    ...when(isRequired, 'required', undefined),
    ...when(!isNullable, 'not_null', null),
    ...when(isText && minimum === 1 && !pattern, 'blank', ''),
    ...when(isText && minimum === 1 && !pattern && name !== 'password' && name !== 'document', 'blank', '\u3164'),
    ...when(
      isText && maximum > 0 && !FORMED.has(name),
      name === 'document' ? 'document_too_large' : 'too_long',
      longest,
    ),
    ...when(isInteger, 'not_an_integer', 1.5),
    ...when(isInteger && minimum === 0, 'too_small', -1),
    ...when(isInteger && maximum < Number.MAX_SAFE_INTEGER, 'too_big', maximum + 1),
    ...when(isArray && minimum === 1, 'too_few', []),
    ...when(
      isArray,
      name === 'prescriptions' ? 'too_many_documents' : 'too_many',
      Array(isArray ? maximum + 1 : 0).fill({}),
    ),
    ...Object.entries((pattern || FORMED.has(name) ? BAD_FORMS[name] : undefined) ?? {}).map(
      ([code, values]): [string, ...unknown[]] => [code, ...values],
    ),
  ];
}

describe('a field of a body', () => {
  it('is in the sample of its route, which is accepted', () => {
    expect(Object.keys(WHOLE_BODIES)).toEqual(bodies.map(({ route }) => nameOf(route)));
    expect(bodies.flatMap(({ body, sample }) => errorsOf(body, sample))).toEqual([]);
    const missing = cases.filter(({ sample, field }) => valueAt(sample, field.place) === undefined);
    // These contradict another field of the same body.
    expect(missing.map(({ name }) => name.replace('/api/orders/', ''))).toEqual([
      'POST calculate/ store',
      'PATCH {id}/ order_status',
    ]);
  });

  it('with a pattern has bad values of that pattern', () => {
    const patterns = cases.flatMap(({ field }) => (field.pattern ? [nameOfField(field)] : []));
    expect(Object.keys(BAD_FORMS)).toEqual(expect.arrayContaining([...new Set(patterns)]));
  });

  it.each(cases)('is refused under its own path and code: $name', ({ body, sample, field }) => {
    for (const [code, ...values] of listWrong(field))
      for (const value of values) {
        const errors = errorsOf(body, withValue(sample, field.place, value));
        expect([value, errors]).toEqual([value, [`${field.place.join('.')} ${code}`]]);
      }
  });

  it.each(cases.filter(({ field }) => /itude$/.test(nameOfField(field))))('may be any small number: $name', (one) => {
    const { body, sample, field } = one;
    const round = (value: unknown) => valueAt(body.parse(withValue(sample, field.place, value)), field.place);
    const rounded = ['0.000000', '0.000000', '0.000000', '45.123457', '-45.123456', '-45.123457'];
    expect([-0, 1e-7, '-0.0000004', 45.1234565, '-45.1234565', '-45.12345651'].map(round)).toEqual(rounded);
  });
});

/** Texts with what a line keeps of them: null where every field refuses it, '' where there is nothing to read. */
const NASTY_TEXTS: readonly (readonly [text: string, kept: string | null])[] = [
  ...['\ud83d', 'Luz\udc8a', '\udc8a\ud83d', 'Jos\ufffd', 'Luz\0', '\x1b[31mLuz', 'Luz\x7f', 'Luz\x85Mora'].map(
    (text) => [text, null] as const,
  ),
  ...['\u200b', '\u3164\uffa0', '\u2800\u2800', '\u0301', '\ue000', '\u00a0\u2003\u3000'].map(
    (text) => [text, ''] as const,
  ),
  ...[
    'Luz\u2028Mora',
    '👨\u200d👩\u200d👧',
    'क्\u200dष',
    'µ ﬃ ₁ Ｌ',
    'لوز',
    "=cmd|'/C calc'!A0",
    '<b>"&amp;',
    '__proto__',
  ].map((text) => [text, text] as const),
  ['Jose\u0301', 'José'],
  ['Le\u0323\u0302', 'Lệ'],
  ['\u1112\u1161\u11ab', '한'],
  ['\u212bre', 'Åre'],
  ['Luz\u200b', 'Luz'],
  ['Luz\u202egpj.exe', 'Luzgpj.exe'],
  ['\ufeffLu\u00adz\u{e0041}', 'Luz'],
  ['\u200dLuz\u200c', 'Luz'],
];
// A password may have any character, a file name loses what it may not have, and a document and a hold are no texts.
const NO_LINES = new Set(['password', 'document_name', 'document', 'hold']);

it.each(
  cases.filter(({ field }) => field.types.includes('string') && !field.choices && !NO_LINES.has(nameOfField(field))),
)('a text is refused, or kept as it reads: $name', ({ body, sample, field }) => {
  const at = `${field.place.join('.')} `;
  for (const [text, kept] of NASTY_TEXTS) {
    const input = withValue(sample, field.place, text);
    const { success, data } = body.safeParse(input);
    if (!success) {
      expect([text, errorsOf(body, input).every((error) => error.startsWith(at))]).toEqual([text, true]);
      continue;
    }
    const value = valueAt(data, field.place);
    expect([text, kept === null, kept === '' && field.minimum === 1]).toEqual([text, false, false]);
    if (/^\p{L}/u.test(String(kept))) expect([text, value]).toEqual([text, kept]);
  }
});

describe('a text', () => {
  it('is counted in characters, however it is written', () => {
    const accepts = (text: string) => requiredText(2).safeParse(text).success;
    const two = ['ab', '😀😀', 'n\u0303o', ' 😀😀 ', '\u200ba\u00adb', '\u1112\u1161\u11ab\u1112\u1161\u11ab'];
    expect([two, ['abc', '😀😀😀', 'n\u0303oo']].map((texts) => texts.filter(accepts))).toEqual([two, []]);
    expect(
      requiredText(2)
        .safeParse('a\u0000bc')
        .error?.issues.map(({ code }) => code),
    ).toEqual(['too_big', 'custom']);
  });

  it('has line ends and tabs between lines and searched words alone', () => {
    for (const kind of [requiredText(30), optionalText(30), plainText])
      expect(['a\nb', 'a\r\nb', 'a\tb'].map((sent) => kind.safeParse(sent).success)).toEqual([false, false, false]);
    for (const kind of [lines(30), searchText(30)]) expect(kind.parse('a\r\nb\tc')).toBe('a\r\nb\tc');
  });
});

describe('a field that the contract does not know', () => {
  const { components } = JSON.parse(readFileSync(DESCRIPTION, 'utf8'));
  const described = Object.values<{ properties?: object }>(components.schemas).flatMap(({ properties = {} }) =>
    Object.keys(properties),
  );
  const names = [
    ...new Set([...described, 'constructor', 'toString', 'toJSON', 'then', 'is_admin', 'client', 'password', 'pk']),
  ];
  // A contract describes all elements of a list with one schema.
  const toPattern = (place: Place): string => place.map((step) => (typeof step === 'number' ? '*' : step)).join(' ');

  it.each(bodies)('has no effect, whatever its name: $route.method $route.path', ({ body, sample, fields }) => {
    const known = new Set(fields.map(({ place }) => toPattern(place)));
    const extend = (value: unknown, place: Place): unknown => {
      if (Array.isArray(value)) return value.map((element, index) => extend(element, [...place, index]));
      if (typeof value !== 'object' || value === null) return value;
      const own = Object.entries(value).map(([name, field]) => [name, extend(field, [...place, name])]);
      const added = names.filter((name) => !known.has(toPattern([...place, name]))).map((name) => [name, 'x']);
      return Object.fromEntries([...added, ...own]);
    };
    expect(JSON.stringify(extend(sample, []))).toContain('is_admin');
    expect(body.parse(extend(sample, []))).toEqual(body.parse(sample));
  });
});

/** Wrong values of every parameter of a list; a few are of 8,000 characters. */
const BAD_PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  page: ['', '0', '-1', '1.5', 'x', '1e1', ' 1', '٢'],
  limit: ['', '0', '-1', '1.5', 'x', '0x10'],
  cursor: ['x'.repeat(4_097)],
  search: ['x'.repeat(201), 'a\u0000'],
  ordering: ['', 'x', '-x', '--updated_at', 'updated_at,x', 'UPDATED_AT', 'created_at,'.repeat(350)],
  available: ['', '2', 'x'],
  include: ['x', 'comments,x', 'comments,,shipments'],
  is_active: ['', '2', 'true ', 'null', 'x'],
  has_shortage: ['', '2', 'x'],
  spelling: ['', '2', 'x'],
  search_all: ['', '2', 'x'],
  base__diseases: ['', '1.5', 'x'],
  base__category: ['', '1.5', '1,2'],
  base__pharmaceutical_company: ['', '1.5', 'x'],
  min_price: ['', '1,5', '1e', '.5', '0x1', 'NaN', '1'.repeat(256), 'x'],
  max_price: ['', '1,5', 'e1', '1.', '+1', '1e1.5', `1e${'1'.repeat(254)}`, 'x'],
  id__in: ['1,', ',', '1,,2', '1;2', '1 2', '1.5', '1,x', '1,'.repeat(500) + 1, '1'.repeat(256), '1'.repeat(8_001)],
  patient: ['', '1.5', 'x'],
  store: ['', '1.5', 'x'],
  insurance_refund_status: ['', 'x', 'not_started,missing_data'],
  email: ['a@b', 'uno@example.mx,dos@example.mx', `${'x'.repeat(244)}@example.mx`, 'x'],
  phone: ['', '5', '55 1234 567', '5'.repeat(26), 'x'],
  folio: ['', '1', 'RX-1', 'RX-0000000', 'RX-000000001', '00000001', 'RX-00000001,RX-00000002'],
  created_at_before: ['', '2026-02-30', 'x'],
  created_at_after: ['', '2026-11-21T00:00:00Z', 'x'],
  order_status__in: [',', 'x', 'approved,'.repeat(20).concat('approved'), 'approved,x'],
  exclude_order_status__in: [',', 'x', 'approved,,quoted'],
  payment_status__in: [',', 'x', 'paid;unpaid'],
  type: [',', 'x', 'order.created,,order.paid', 'order.created,x'],
  expected_delivery_date_before: ['', '2026-02-30', 'x'],
  expected_delivery_date_after: ['', '2026-13-01', 'x'],
  max_delivery_date_before: ['', '2026-1-1', 'x'],
  max_delivery_date_after: ['', '21/11/2026', 'x'],
  ean_key__in: ['x'.repeat(8_001), ','.repeat(500), 'x'.repeat(256), '\ufffd'],
  facets: [',', 'x', 'base__category,base__category', 'base__category,x', 'a,b,c,d'],
};
const BAD_HEADERS: Readonly<Record<string, readonly string[]>> = {
  'Idempotency-Key': ['', 'corta-7', 'x'.repeat(256), 'con espacio', 'mi-ñandú', 'tab\tulador'],
};
const BAD_IDS = ['', '0', '-1', '01', '1.5', '1e3', '9'.repeat(400), 'null', 'x', ' ', '\0', '1;1', '٣'];

const parts = routes.flatMap((route) =>
  (['path', 'query', 'headers', 'body'] as const satisfies (keyof DescribedContract)[]).flatMap((part) => {
    const schema = route.contract[part];
    return schema ? [{ name: `${part} of ${nameOf(route)}`, part, schema }] : [];
  }),
);
const outside = parts.flatMap(({ part, schema, ...route }) =>
  part === 'body' ? [] : Object.keys(schema.shape).map((field) => ({ part, schema, field, ...route })),
);

describe('a value outside of a body', () => {
  const wrong = { path: { id: BAD_IDS }, query: BAD_PARAMETERS, headers: BAD_HEADERS } as const;
  it.each(outside)('is refused under its own name: $field in the $name', ({ part, schema, field }) => {
    const values = (wrong[part] as Readonly<Record<string, readonly string[]>>)[field] ?? [];
    expect(values.length).toBeGreaterThan(0);
    for (const value of values) {
      const paths = errorsOf(schema, { [field]: value }).map((error) => error.replace(/ \w+$/, ''));
      expect([value, paths]).toEqual([value, [field]]);
    }
  });

  it('is a large page or limit, an id beyond all, or a flag in any case', () => {
    const query = routes.find(({ path }) => path === '/api/products/')?.contract.query;
    const most = {
      page: '9'.repeat(40),
      limit: '101',
      is_active: 'TRUE',
      has_shortage: '0',
      base__category: '9'.repeat(20),
    };
    expect(query?.parse(most)).toMatchObject({
      ...{ page: Number.MAX_SAFE_INTEGER, limit: 100, is_active: true, has_shortage: false },
      base__category: Number.MAX_SAFE_INTEGER,
    });
    expect(query?.parse({})).toMatchObject({ page: 1, limit: 20, search: '' });
    expect(query?.safeParse({ search: 'x'.repeat(200) }).success).toBe(true);
  });
});

type Schema = { readonly [keyword: string]: unknown };
const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;

/** Returns the places of texts and arrays without an upper bound, at any depth of a JSON Schema. */
function findUnbounded(schema: unknown, place: string): string[] {
  if (!isSchema(schema)) return [];
  const { type, maxLength, maxItems } = schema;
  const types = [type].flat();
  const isKnown = 'enum' in schema || 'const' in schema;
  const own = [
    ...(types.includes('string') && maxLength === undefined && !isKnown ? [`${place}: text`] : []),
    ...(types.includes('array') && maxItems === undefined && !isKnown ? [`${place}: array`] : []),
  ];
  return [...own, ...Object.entries(schema).flatMap(([name, part]) => findUnbounded(part, `${place}/${name}`))];
}

describe('every text and array of a request', () => {
  it.each(parts)('has an upper bound: $name', ({ schema }) => {
    expect(findUnbounded(z.toJSONSchema(schema, { io: 'input' }), '')).toEqual([]);
  });

  it('shows its bound in the API description', () => {
    const { paths, components } = JSON.parse(readFileSync(DESCRIPTION, 'utf8'));
    const requests = Object.entries<Schema>(components.schemas).filter(([name]) =>
      /(Input|Request|^NewOrder)$/.test(name),
    );
    const operations = Object.values<Schema>(paths).flatMap((path) => Object.values(path) as Schema[]);
    const parameters = [...operations.map((operation) => operation.parameters), components.parameters];
    expect(requests.length).toBeGreaterThan(8);
    expect(findUnbounded([Object.fromEntries(requests), parameters], '')).toEqual([]);
  });
});

const ENDLESS = ['1', 'a', ' ', ',', '1,', '-', 'created_at,', 'approved,', '\u0301\u0323', '😀', '/'];

it.each(outside)('an endless text is refused as $field in the $name', ({ field, schema }) => {
  const accepted = ENDLESS.filter((unit) => schema.shape[field].safeParse(unit.repeat(100_000)).success);
  expect(accepted).toEqual([]);
});

it.each(cases.filter(({ field }) => field.types.includes('string') && !field.choices))(
  'a text of a body is refused with one error when it is far too long: $name',
  ({ body, sample, field }) => {
    for (const unit of [' ', '\u0301']) {
      const { success, error } = body.safeParse(withValue(sample, field.place, unit.repeat(4_500_000)));
      expect([success, error?.issues.length]).toEqual([false, 1]);
    }
  },
);

it.each(cases.filter(({ field }) => field.types === 'array'))(
  'an array of a body is refused before its elements are looked at: $name',
  ({ body, sample, field: { place, maximum = 0 } }) => {
    let looks = 0;
    const watched = new Proxy(Array(maximum + 1).fill(null), {
      get: (target, name) => {
        if (typeof name === 'string' && /^\d+$/.test(name)) looks++;
        return Reflect.get(target, name);
      },
    });
    const copy = withValue(sample, place, null);
    Reflect.set(valueAt(copy, place.slice(0, -1)) as object, place.at(-1) ?? '', watched);
    expect(body.safeParse(copy).error?.issues.map(({ path }) => path)).toEqual([place]);
    expect(looks).toBe(0);
  },
);

it.each(cases.filter(({ field }) => !field.isRequired && typeof field.place.at(-1) === 'string'))(
  'a null counts as absent: $name',
  ({ body, sample, field }) => {
    const [absent, none] = [undefined, null].map((value) => body.safeParse(withValue(sample, field.place, value)));
    expect([none?.data, none?.error?.issues]).toEqual([absent?.data, absent?.error?.issues]);
    expect(field.isNullable).toBe(true);
  },
);
