import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import {
  type ApiDescription,
  type Call,
  type Content,
  listCalls,
  type Parameter,
  parseSchemaName,
  readJsonMedia,
  resolveReference,
  type Schema,
} from '../api/description.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const OUT = join(ROOT, 'dist/client');
const TYPES = 'shared/client/types.ts';

const readProjectJson = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
const runTool = (tool: string, args: readonly string[], input = '') =>
  execFileSync(join(ROOT, 'node_modules/.bin', tool), args, { cwd: ROOT, input, encoding: 'utf8' });

export const makeTypes = (): string =>
  runTool('biome', ['format', `--stdin-file-path=${TYPES}`], writeTypes(readProjectJson('infra/api/openapi.json')));

/** Builds the package for other projects: ES modules, declarations and the guide, without dependencies. */
export function buildClient(out: string): void {
  rmSync(out, { recursive: true, force: true });
  runTool('tsc', ['--project', 'shared/client', '--outDir', out]);
  for (const file of ['shared/client/README.md', 'shared/client/shop.ts', 'shared/client/shop.py', 'CHANGELOG.md'])
    copyFileSync(join(ROOT, file), join(out, basename(file)));
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
}

function manifest() {
  const { version, license } = readProjectJson('package.json');
  return {
    name: 'botica-client',
    version,
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20' },
    exports: { types: './client.d.ts', default: './client.js' },
  };
}

/** Writes the TypeScript types of the OpenAPI document: one for each schema, and `Operations` by route. */
function writeTypes(description: ApiDescription): string {
  const named = Object.entries(description.components.schemas).map(
    ([name, schema]) => `${writeComment(schema)}export type ${name} = ${writeType(schema)};`,
  );
  const routes = listCalls(description).map(writeRoute).join('\n');
  const operations = `/** The query, body and successful answer of each route. */\nexport type Operations = {\n${routes}\n};`;
  const codes = `/** Every code of an error. A later version of the service may have more. */\nexport type ErrorCode = ${listCodes(description).map(writeLiteral).join(' | ') || 'never'};`;
  return `// Made from the OpenAPI document by \`npm run client\`.\n\n${[...named, operations, codes].join('\n\n')}\n`;
}

function listCodes(description: ApiDescription): unknown[] {
  const schemas = listCalls(description)
    .flatMap(({ responses }) => responses.map(([, response]) => readJsonMedia(response).schema ?? {}))
    .flatMap((schema) => schema.anyOf ?? [schema])
    .map((schema) => resolveReference(schema, description));
  const codes = schemas.flatMap(({ allOf = [], ...own }) => [own, ...allOf].map(({ properties }) => properties?.code));
  return [...new Set(codes.flatMap((code) => (code?.const === undefined ? (code?.enum ?? []) : [code.const])))].sort();
}

function writeRoute({ method, path, operation, parameters, responses }: Call): string {
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const success = responses.find(([status]) => status.startsWith('2'))?.[1] ?? {};
  const parts = [
    query.length > 0 && `query: ${writeQuery(query)};`,
    operation.requestBody && `body: ${writeBody(operation.requestBody)};`,
    `answer: ${writeBody(success)};`,
  ];
  return `'${method} ${path}': {\n${parts.filter(Boolean).join('\n')}\n};`;
}

function writeQuery(parameters: readonly Parameter[]): string {
  const properties = Object.fromEntries(
    parameters.map(({ name, schema, description }) => [name, { ...schema, ...(description && { description }) }]),
  );
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  return writeObject({ properties, required });
}

const writeBody = (content: Content): string => {
  const { schema } = readJsonMedia(content);
  return schema ? writeType(schema) : 'undefined';
};

function writeType(schema: Schema): string {
  const name = parseSchemaName(schema);
  if (name !== undefined) return name;
  if (schema.const !== undefined) return writeLiteral(schema.const);
  if (schema.enum) return schema.enum.map(writeLiteral).join(' | ');
  if (schema.allOf) return schema.allOf.map(writeType).join(' & ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map((choice) => writeType(completeChoice(choice, schema))).join(' | ');
  const types = schema.type === undefined ? [] : [schema.type].flat();
  return types.length > 0 ? types.map((type) => writePlainType(type, schema)).join(' | ') : 'unknown';
}

// A choice with nothing but required fields is the whole object with these fields required.
const completeChoice = (choice: Schema, { properties, required = [] }: Schema): Schema =>
  properties && !choice.type && !choice.$ref
    ? { type: 'object', properties, required: [...required, ...(choice.required ?? [])] }
    : choice;

function writePlainType(type: string, schema: Schema): string {
  if (type === 'integer') return 'number';
  if (type === 'array') return schema.items ? `(${writeType(schema.items)})[]` : 'unknown[]';
  return type === 'object' ? writeObject(schema) : type;
}

function writeObject({ properties = {}, required = [], additionalProperties }: Schema): string {
  // A Record cannot refer to itself.
  if (typeof additionalProperties === 'object') return `{ [name: string]: ${writeType(additionalProperties)} }`;
  const fields = Object.entries(properties).map(([name, schema]) => {
    // JSON omits undefined fields, so undefined is accepted under exactOptionalPropertyTypes too.
    const type = required.includes(name) ? `: ${writeType(schema)}` : `?: ${writeType(schema)} | undefined`;
    return `${writeComment(schema)}${/^\w+$/.test(name) ? name : `'${name}'`}${type};`;
  });
  return fields.length === 0 ? 'Record<string, never>' : `{\n${fields.join('\n')}\n}`;
}

const writeLiteral = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : String(value));
const writeComment = ({ description, $ref }: Schema): string =>
  description && !$ref ? `/** ${description.replaceAll('*/', '*\\/').replace(/\s+/g, ' ')} */\n` : '';

if (import.meta.main) {
  writeFileSync(join(ROOT, TYPES), makeTypes());
  buildClient(OUT);
  console.log(`The client is in ${OUT}: npm install ${OUT}`);
}
