import * as z from 'zod';
import { ANSWER_SCHEMAS, REQUEST_SCHEMAS, type SchemaName } from './schemas.ts';
import { FIELD_WORDS, SCHEMA_WORDS } from './words.ts';

export type JsonSchema = { [keyword: string]: unknown; properties?: Record<string, JsonSchema> };

const addressOf = (name: string): string => `#/components/schemas/${name}`;
export const ref = (name: string): JsonSchema => ({ $ref: addressOf(name) });

/** A JSON body with its examples, if there are any. */
export const json = (schema: JsonSchema, examples: Record<string, unknown>) => ({
  'application/json': { schema, ...(Object.keys(examples).length > 0 && { examples }) },
});

/** The named schemas of requests and answers, each with its words. Throws when a field has none. */
export function componentSchemas(): Record<string, JsonSchema> {
  const sent = jsonSchemas(REQUEST_SCHEMAS, 'input');
  const answered = jsonSchemas(ANSWER_SCHEMAS, 'output');
  return Object.fromEntries(Object.entries({ ...sent, ...answered }).map(([name, schema]) => described(name, schema)));
}

/** The name under which a body stands among the components. Throws when it has none. */
export function nameOf(schema: z.ZodType): string {
  const found = Object.entries({ ...REQUEST_SCHEMAS, ...ANSWER_SCHEMAS }).find(([, named]) => named === schema);
  if (!found) throw new Error('a body has no name in infra/api/document/schemas.ts');
  return found[0];
}

/** The fields of what stands outside of a body: a path, a query or headers. */
export function fieldSchemas(schema: z.ZodObject): { name: string; schema: JsonSchema; required: boolean }[] {
  const { properties = {}, required } = z.toJSONSchema(schema, { io: 'input', override: plain }) as JsonSchema;
  const names = (required ?? []) as string[];
  return Object.entries(properties).map(([name, schema]) => ({ name, schema, required: names.includes(name) }));
}

function jsonSchemas(named: Readonly<Record<string, z.ZodType>>, io: 'input' | 'output'): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { io, uri: addressOf, override: plain });
  return schemas as Record<string, JsonSchema>;
}

type Override = NonNullable<z.core.ToJSONSchemaParams['override']>;

/** Leaves out what zod says of its own working and not of the value. */
const plain: Override = ({ jsonSchema }) => {
  // Open for fields that come later; the tests take these schemas as closed.
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  // The bounds of what JavaScript counts exactly.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  // How a number or a list is written in a query.
  if (jsonSchema.type !== undefined && jsonSchema.type !== 'string') delete jsonSchema.pattern;
  delete jsonSchema.propertyNames;
};

function described(name: string, { $schema, $id, properties = {}, ...schema }: JsonSchema): [string, JsonSchema] {
  const fields = Object.entries(properties).map(([field, value]) => {
    const description = SCHEMA_WORDS[name as SchemaName].fields[field] ?? FIELD_WORDS[field];
    if (description === undefined) throw new Error(`no words for ${name}.${field}`);
    return [field, { ...value, description }];
  });
  const { about } = SCHEMA_WORDS[name as SchemaName];
  return [name, { description: about, ...schema, properties: Object.fromEntries(fields) }];
}
