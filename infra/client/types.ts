import {
  type ApiDescription,
  type Call,
  type Content,
  jsonMedia,
  listCalls,
  type Parameter,
  type Schema,
  schemaName,
} from '../docs/description.ts';

/** TypeScript for everything that goes in and out, each component under its name and each route under its own. */
export function clientTypes(description: ApiDescription): string {
  const named = Object.entries(description.components.schemas).map(
    ([name, schema]) => `${comment(schema)}export type ${name} = ${typeOf(schema)};`,
  );
  const routes = listCalls(description).map(routeType).join('\n');
  const operations = `/** What each route takes, and answers when it succeeds. */\nexport type Operations = {\n${routes}\n};`;
  return `// Made from the API description by \`npm run client\`.\n\n${[...named, operations].join('\n\n')}\n`;
}

function routeType({ method, path, operation, parameters, responses }: Call): string {
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const success = responses.find(([status]) => status.startsWith('2'))?.[1] ?? {};
  const parts = [
    query.length > 0 && `query: ${queryType(query)};`,
    operation.requestBody && `body: ${bodyType(operation.requestBody)};`,
    `answer: ${bodyType(success)};`,
  ];
  return `'${method} ${path}': {\n${parts.filter(Boolean).join('\n')}\n};`;
}

function queryType(parameters: readonly Parameter[]): string {
  const properties = Object.fromEntries(
    parameters.map(({ name, schema, description }) => [name, { ...schema, ...(description && { description }) }]),
  );
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  return objectType({ properties, required });
}

const bodyType = (content: Content): string => typeOf(jsonMedia(content).schema ?? {});

function typeOf(schema: Schema): string {
  const name = schemaName(schema);
  if (name !== undefined) return name;
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  if (schema.allOf) return schema.allOf.map(typeOf).join(' & ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map((choice) => typeOf(completed(choice, schema))).join(' | ');
  const types = schema.type === undefined ? [] : [schema.type].flat();
  return types.length > 0 ? types.map((type) => plainType(type, schema)).join(' | ') : 'unknown';
}

// A choice that only says which fields it requires is one of the whole.
const completed = (choice: Schema, { properties, required = [] }: Schema): Schema =>
  properties && !choice.type && !choice.$ref
    ? { type: 'object', properties, required: [...required, ...(choice.required ?? [])] }
    : choice;

function plainType(type: string, schema: Schema): string {
  if (type === 'integer') return 'number';
  if (type === 'array') return schema.items ? `(${typeOf(schema.items)})[]` : 'unknown[]';
  return type === 'object' ? objectType(schema) : type;
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema): string {
  // Not a Record, which must not speak of itself.
  if (typeof additionalProperties === 'object') return `{ [name: string]: ${typeOf(additionalProperties)} }`;
  const fields = Object.entries(properties).map(([name, schema]) => {
    // Undefined is as good as absent in JSON, under exactOptionalPropertyTypes too.
    const type = required.includes(name) ? `: ${typeOf(schema)}` : `?: ${typeOf(schema)} | undefined`;
    return `${comment(schema)}${/^\w+$/.test(name) ? name : `'${name}'`}${type};`;
  });
  return `{\n${fields.join('\n')}\n}`;
}

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : String(value));
const comment = ({ description, $ref }: Schema): string =>
  description && !$ref ? `/** ${description.replaceAll('*/', '*\\/').replace(/\s+/g, ' ')} */\n` : '';
