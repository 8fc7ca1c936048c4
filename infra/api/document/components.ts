import * as z from 'zod';
import type { Contract } from '../../../shared/api/contract.ts';

export type JsonSchema = { [keyword: string]: unknown; properties?: Record<string, JsonSchema> };

export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** A JSON body with its examples, if there are any. */
export const json = (schema: JsonSchema, examples: Record<string, unknown>) => ({
  'application/json': { schema, ...(Object.keys(examples).length > 0 && { examples }) },
});

/** The named schemas of what these operations take and answer. Throws when one of them or a field is not described. */
export function componentSchemas(contracts: readonly Contract[]): Record<string, JsonSchema> {
  const requests = contracts.flatMap(({ body }) => body ?? []);
  const answers = contracts.flatMap(({ answers }) => Object.values(answers));
  const schemas = { ...namedSchemas(requests, 'input'), ...namedSchemas(answers, 'output') };
  for (const [name, schema] of Object.entries(schemas)) requireDescriptions(name, schema);
  return schemas;
}

/** The name and the description of a body. Throws when it has none. */
export function nameAndDescription(body: z.ZodType): { id: string; description: string } {
  const { id, description } = body.meta() ?? {};
  if (!id || !description)
    throw new Error('a body has no name or description: give it both by .meta({ id, description })');
  return { id, description };
}

/** The fields of a path, a query or headers. */
export function fieldSchemas(schema: z.ZodObject): { name: string; schema: JsonSchema; required: boolean }[] {
  const { properties = {}, required } = z.toJSONSchema(schema, { io: 'input', override }) as JsonSchema;
  const names = (required ?? []) as string[];
  return Object.entries(properties).map(([name, schema]) => ({ name, schema, required: names.includes(name) }));
}

function namedSchemas(bodies: readonly z.ZodType[], io: 'input' | 'output'): Record<string, JsonSchema> {
  const { $defs } = z.toJSONSchema(z.tuple(bodies as [z.ZodType]), { io, override });
  return JSON.parse(JSON.stringify($defs ?? {}).replaceAll('"#/$defs/', '"#/components/schemas/'), (_, part) =>
    isNullable(part) ? describedOutside(part) : part,
  );
}

type Nullable = { anyOf: [JsonSchema, { type: 'null' }]; description?: string };

const isNullable = (part: Partial<Nullable> | null): part is Nullable => part?.anyOf?.[1]?.type === 'null';

/** A field that may be null, with the description of its value beside its types and not inside. */
function describedOutside({ anyOf: [value, none], ...nullable }: Nullable): JsonSchema {
  const { description, ...rest } = value;
  const isBareType = Object.keys(rest).join() === 'type';
  return { ...(isBareType ? { type: [rest.type, 'null'] } : { anyOf: [rest, none] }), description, ...nullable };
}

type Override = NonNullable<z.core.ToJSONSchemaParams['override']>;

/** Leaves out keywords that describe how zod works and not the value. */
const override: Override = ({ zodSchema, jsonSchema }) => {
  // Open for fields that come later; the tests take these schemas as closed.
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  // The bounds of what JavaScript counts exactly.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  // How a number or a list is written in a query.
  if (jsonSchema.type !== undefined && jsonSchema.type !== 'string') delete jsonSchema.pattern;
  delete jsonSchema.propertyNames;
  // Of a value that is transformed, zod drops the default or shows how it is written.
  const described = z.globalRegistry.get(zodSchema)?.default;
  if (described !== undefined) jsonSchema.default = described as typeof jsonSchema.default;
};

function requireDescriptions(name: string, { description, properties = {} }: JsonSchema): void {
  if (description === undefined) throw new Error(`no description of ${name}`);
  for (const [field, schema] of Object.entries(properties)) {
    if (schema.description === undefined) throw new Error(`no description of ${name}.${field}`);
  }
}
