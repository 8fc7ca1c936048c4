import * as z from 'zod';

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

const alternatives = (schema: Schema): readonly Schema[] => schema.anyOf?.flatMap(alternatives) ?? [schema];

/** Returns a copy of a body with one value replaced; undefined removes the field. */
export function withValue(body: object, place: Place, value: unknown): object {
  const copy = structuredClone(body) as Record<string | number, unknown>;
  const [last = '', ...path] = place.toReversed();
  const parent = path.toReversed().reduce((inner, step) => inner[step] as typeof inner, copy);
  parent[last] = value;
  return copy;
}
