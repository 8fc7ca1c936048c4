import * as z from 'zod';
import { type Route, routes } from '../../../shared/api/routes.ts';
import { ADDRESS, INVOICING, PDF } from '../orders/samples.ts';

const line = () => ({ product: 1, quantity: 1 });
const prescription = () => ({
  document: PDF,
  issue_date: '2026-01-02',
  document_name: 'a.pdf',
  expiring_date: '2999-01-01',
});
const createReceiver = () => ({ ...INVOICING, latitude: 19.4, longitude: '-99.1' });

export const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`;

const BODIES: Readonly<Record<string, object>> = {
  'POST /api/token/': { email: 'doctora@demo.example', password: 'farmacia-demo-2026' },
  'POST /api/password/': { email: 'doctora@demo.example' },
  'PUT /api/password/': { token: `1.${'a'.repeat(43)}`, password: 'farmacia-demo-2026' },
  'POST /api/orders/calculate/': {
    details: [line(), line()],
    zipcode: '06700',
    coupon: 'BIENVENIDA10',
    shipping_method: 1,
    hold: false,
  },
  'POST /api/orders/resources/': {
    user: {
      email: 'mala.entrada@example.mx',
      first_name: 'Ana',
      last_name: 'Paz',
      phone: '+525512349876',
      second_last_name: 'Luna',
      sex: 'F',
      birthdate: '1980-01-01',
      medical_condition: 'Ninguna',
    },
    order: {
      details: [line(), line()],
      payment_method: 1,
      shipping: { ...ADDRESS, name: 'Casa' },
      shipping_method: 1,
      store: null,
      coupon: null,
      // A change of another field would change the total, and differ from the hold.
      expected_total: null,
      hold: null,
      prescriptions: [prescription(), prescription()],
      comments: 'Sin prisa',
    },
    invoicing: createReceiver(),
  },
  'PATCH /api/orders/{id}/': { details: [line(), line()] },
  'POST /api/orders/{id}/payment/': { payment_method: 4 },
  'POST /api/orders/{id}/prescriptions/': { prescriptions: [prescription(), prescription()] },
  'PATCH /api/orders/{id}/request-invoice/': createReceiver(),
  'PUT /api/orders/{id}/request-invoice/': { invoicing: createReceiver() },
  'PATCH /api/me/': { first_name: 'Ana', last_name: 'Paz', phone: '+525512349877', sex: 'F', birthdate: '1980-01-01' },
};

type Body = Record<string | number, unknown>;

/** Adds a text for each optional text of the contract that a body lacks. */
function addTexts(body: object, { contract }: Pick<Route, 'contract'>): object {
  const whole = structuredClone(body) as Body;
  const fields = contract.body ? bodyFields(contract.body) : [];
  for (const { place, types, choices, pattern } of fields.filter(({ isRequired }) => !isRequired)) {
    const name = place.at(-1) ?? '';
    const parent = place.slice(0, -1).reduce<unknown>((at, key) => (at as Body | undefined)?.[key], whole) as Body;
    if (types === 'string' && !choices && !pattern && parent && !(name in parent)) parent[name] = 'Texto';
  }
  return whole;
}

/** An accepted body for every route that takes one, with every field and two elements in every list. */
export const WHOLE_BODIES: Readonly<Record<string, object>> = Object.fromEntries(
  Object.entries(BODIES).map(([name, body]) => {
    const route = routes.find((one) => nameOf(one) === name);
    return [name, route ? addTexts(body, route) : body];
  }),
);

/** The path of a value in a body: names of fields and positions in arrays. */
export type Place = readonly (string | number)[];

/** The JSON Schema of one field of a request body. */
export type BodyField = {
  readonly place: Place;
  readonly isRequired: boolean;
  readonly isNullable: boolean;
  /** Its types except null, sorted and joined by commas. */
  readonly types: string;
  readonly choices: readonly string[] | undefined;
  readonly pattern: string | undefined;
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
};

type Schema = {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly string[];
} & Readonly<Partial<Record<'minLength' | 'maxLength' | 'minItems' | 'maxItems' | 'minimum' | 'maximum', number>>> & {
    readonly pattern?: string;
  };

/**
 * Returns every field of a request body, outer fields first. An array is represented by its second element, so that
 * tests can check the position in a validation error; samples need two elements.
 */
export function bodyFields(body: z.ZodObject): BodyField[] {
  const schema = z.toJSONSchema(body, { io: 'input' }) as Schema;
  return listFields(withoutReferences(schema, schema.$defs ?? {}), []);
}

/** Replaces each `{"$ref":"#/$defs/Name"}` by the schema of that name. */
function withoutReferences(schema: Schema, named: Readonly<Record<string, Schema>>): Schema {
  const replaced = (_: string, value: Schema) => named[value?.$ref?.replace('#/$defs/', '') ?? ''] ?? value;
  const whole = JSON.stringify(schema.$ref ? replaced('', schema) : schema, replaced);
  return JSON.parse(whole);
}

function listFields({ properties = {}, required = [], items }: Schema, place: Place): BodyField[] {
  const named = Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    isRequired: required.includes(name),
  }));
  const all = items ? [{ name: 1, schema: items, isRequired: false }] : named;
  return all.flatMap(({ name, schema, isRequired }) => {
    const here = [...place, name];
    return [toField(schema, here, isRequired), ...alternatives(schema).flatMap((one) => listFields(one, here))];
  });
}

function toField(schema: Schema, place: Place, isRequired: boolean): BodyField {
  const ways = alternatives(schema);
  const types = new Set(ways.flatMap(({ type = [] }) => type));
  const first = <Value>(read: (way: Schema) => Value | undefined) =>
    ways.map(read).find((value) => value !== undefined);
  return {
    place,
    isRequired,
    isNullable: types.delete('null'),
    types: [...types].sort().join(),
    choices: first((way) => way.enum),
    pattern: first((way) => way.pattern),
    minimum: first(({ minLength, minItems, minimum }) => minLength ?? minItems ?? minimum),
    maximum: first(({ maxLength, maxItems, maximum }) => maxLength ?? maxItems ?? maximum),
  };
}

function alternatives(schema: Schema): readonly Schema[] {
  return schema.anyOf?.flatMap(alternatives) ?? [schema];
}

/** Returns a copy of a body with one value replaced; undefined removes the field. */
export function withValue(body: object, place: Place, value: unknown): object {
  const copy = structuredClone(body) as Record<string | number, unknown>;
  const [last = '', ...path] = place.toReversed();
  const parent = path.toReversed().reduce((inner, step) => inner[step] as typeof inner, copy);
  parent[last] = value;
  return copy;
}
