import * as z from 'zod';
import { type Contract, hasBody } from '../../../shared/api/contract.ts';
import { MAX_ETAGS } from '../../../shared/http/headers.ts';
import { MAX_LANGUAGES } from '../../../shared/messages/say.ts';
import fixed from './fixed.json' with { type: 'json' };

export type JsonSchema = { [keyword: string]: unknown; properties?: Record<string, JsonSchema> };

export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

export const jsonContent = (schema: JsonSchema, examples: Record<string, unknown>) => ({
  'application/json': { schema, ...(Object.keys(examples).length > 0 && { examples }) },
});

/** Returns the schemas of all bodies by name. Throws when a schema or a field has no description. */
export function describeSchemas(contracts: readonly Contract[]): Record<string, JsonSchema> {
  const requests = contracts.flatMap(({ body }) => body ?? []);
  const answers = contracts.flatMap(({ answers, refusalBodies = {} }) => [
    ...Object.values(answers).filter(hasBody),
    ...Object.values(refusalBodies),
  ]);
  const schemas = { ...collectSchemas(requests, 'input'), ...collectSchemas(answers, 'output') };
  for (const [name, schema] of Object.entries(schemas)) requireDescriptions(name, schema);
  return schemas;
}

export function requireMeta(body: z.ZodType): { id: string; description: string } {
  const { id, description } = body.meta() ?? {};
  if (!id || !description)
    throw new Error('a body has no name or description: give it both by .meta({ id, description })');
  return { id, description };
}

function describeFields(schema: z.ZodObject): { name: string; schema: JsonSchema; required: boolean }[] {
  const { properties = {}, required } = z.toJSONSchema(schema, { io: 'input', override }) as JsonSchema;
  const names = (required ?? []) as string[];
  return Object.entries(properties).map(([name, schema]) => ({ name, schema, required: names.includes(name) }));
}

function collectSchemas(bodies: readonly z.ZodType[], io: 'input' | 'output'): Record<string, JsonSchema> {
  const { $defs } = z.toJSONSchema(z.tuple(bodies as [z.ZodType]), { io, override });
  return JSON.parse(JSON.stringify($defs ?? {}).replaceAll('"#/$defs/', '"#/components/schemas/'), (_, part) =>
    isNullable(part) ? moveDescription(part) : part,
  );
}

type Nullable = { anyOf: [JsonSchema, { type: 'null' }]; description?: string };

const isNullable = (part: Partial<Nullable> | null): part is Nullable => part?.anyOf?.[1]?.type === 'null';

/** Moves the description of a value that may be null beside its types, where other fields have it. */
function moveDescription({ anyOf: [value, none], ...nullable }: Nullable): JsonSchema {
  const { description, ...rest } = value;
  const isBareType = Object.keys(rest).join() === 'type';
  return { ...(isBareType ? { type: [rest.type, 'null'] } : { anyOf: [rest, none] }), description, ...nullable };
}

type Override = NonNullable<z.core.ToJSONSchemaParams['override']>;

/** Removes keywords that describe how zod works and not the value. */
const override: Override = ({ zodSchema, jsonSchema }) => {
  // Objects stay open for later fields; the tests close them.
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  // These are the bounds of JavaScript's exact integers.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  // A pattern or a length of a number or a list describes its text in a query.
  if (jsonSchema.type !== undefined && jsonSchema.type !== 'string') {
    delete jsonSchema.pattern;
    delete jsonSchema.maxLength;
  }
  delete jsonSchema.propertyNames;
  // Zod drops the default of a transformed value or shows its text in a query.
  const described = z.globalRegistry.get(zodSchema)?.default;
  if (described !== undefined) jsonSchema.default = described as typeof jsonSchema.default;
};

function requireDescriptions(name: string, { description, properties = {} }: JsonSchema): void {
  if (description === undefined) throw new Error(`no description of ${name}`);
  for (const [field, schema] of Object.entries(properties)) {
    if (schema.description === undefined) throw new Error(`no description of ${name}.${field}`);
  }
}

export const toNamedExamples = (examples: readonly { name: string; summary: string; body?: unknown }[]) =>
  Object.fromEntries(examples.map(({ name, summary, body }) => [name, { summary, value: body }]));

export type HeaderName = keyof typeof fixed.headers;
const ALWAYS: readonly HeaderName[] = ['X-Request-Id', 'Content-Language'];

/** Describes the headers of an answer: these and the ones that every answer has. */
export const describeHeaders = (names: readonly HeaderName[]): Record<string, JsonSchema> =>
  Object.fromEntries([...ALWAYS, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]));

type Place = 'path' | 'query' | 'header';
export type ParameterValues = Readonly<Record<string, unknown>>;

export const PARAMETERS = {
  AcceptLanguage: {
    name: 'Accept-Language',
    in: 'header',
    description: 'Language of messages: Spanish unless English is preferred.',
    schema: { type: 'string', maxLength: MAX_LANGUAGES, default: 'es' },
    example: 'en',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of an earlier answer; while that is current, it is not sent again.',
    schema: { type: 'string', maxLength: MAX_ETAGS },
    example: '"2jmj7l5rSw0yVb_vlWAYkK_YBwk"',
  },
};

export function describeParameters(contract: Contract, values: ParameterValues): JsonSchema[] {
  const own = (['path', 'query', 'header'] as const).flatMap((place) => {
    const schema = place === 'header' ? contract.headers : contract[place];
    return schema ? describeFields(schema).map((field) => describeParameter(place, field, values)) : [];
  });
  const shared: (keyof typeof PARAMETERS)[] = ['AcceptLanguage'];
  if (contract.caching === 'catalog') shared.push('IfNoneMatch');
  return [...own, ...shared.map((name) => ({ $ref: `#/components/parameters/${name}` }))];
}

type Field = ReturnType<typeof describeFields>[number];

function describeParameter(place: Place, { name, schema, required }: Field, values: ParameterValues) {
  const { description, ...value } = schema;
  if (description === undefined) throw new Error(`no description of the parameter ${name}`);
  return {
    name,
    in: place,
    ...(required && { required }),
    description,
    // Several values of one parameter are separated by commas.
    ...(schema.type === 'array' && { style: 'form', explode: false }),
    schema: value,
    ...(name in values && { example: values[name] }),
  };
}
