import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, it } from 'vitest';
import { DESCRIPTION, readJson } from '../../infra/api/description.ts';

type Part = { readonly [name: string]: unknown };

const isPart = (value: unknown): value is Part => typeof value === 'object' && value !== null;
// The variables of a server have defaults and no schemas.
const isSchema = (part: Part): boolean => 'type' in part || '$ref' in part || 'anyOf' in part;
const pointerSegment = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Lists the schemas with a default below a part, by their JSON pointers. */
const listDefaults = (at: string, part: Part): [at: string, value: unknown][] => [
  ...(isSchema(part) && 'default' in part ? [[at, part.default] as [string, unknown]] : []),
  ...Object.entries(part).flatMap(([name, inner]) =>
    isPart(inner) ? listDefaults(`${at}/${pointerSegment(name)}`, inner) : [],
  ),
];

/** Lists the defaults of a document that do not match their own schemas. */
function findWrongDefaults(document: object): string[] {
  const ajv = addFormats.default(new Ajv2020({ strict: false })).addSchema({ ...document, $id: 'document' });
  return listDefaults('', { ...document }).flatMap(([at, value]) =>
    ajv.getSchema(`document#${at}`)?.(value) === true ? [] : [`${at}: ${JSON.stringify(value)}`],
  );
}

const documentWith = (schema: object) => ({ components: { schemas: { Limit: { type: 'integer' }, Asked: schema } } });

it('finds a default that its schema refuses, also one beside a reference', () => {
  expect(findWrongDefaults(documentWith({ type: 'integer', default: 20 }))).toEqual([]);
  expect(findWrongDefaults(documentWith({ type: 'integer', default: '20' }))).toEqual([
    '/components/schemas/Asked: "20"',
  ]);
  expect(findWrongDefaults(documentWith({ $ref: '#/components/schemas/Limit', default: 'all' }))).toEqual([
    '/components/schemas/Asked: "all"',
  ]);
});

// Redocly's rules check the examples (redocly.yaml), but no defaults.
it('finds none in the description of the API', () => {
  const document = readJson(DESCRIPTION) as object;
  expect(listDefaults('', { ...document }).length).toBeGreaterThan(10);
  expect(findWrongDefaults(document)).toEqual([]);
});
