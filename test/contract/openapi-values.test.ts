import { describe, expect, it } from 'vitest';
import { findWrongValues } from '../../infra/api/values.ts';

const ORDERING = { type: 'array', items: { type: 'string', enum: ['name', '-name'] } };
const createDocument = (parameter: object, components: object = {}) => ({
  openapi: '3.1.1',
  servers: [{ url: 'https://{host}/v2', variables: { host: { default: 'api.example' } } }],
  paths: { '/api/things/': { get: { parameters: [{ name: 'ordering', in: 'query', ...parameter }] } } },
  components: { schemas: { Ordering: ORDERING }, ...components },
});
const AT = '/paths/~1api~1things~1/get/parameters/0';

describe('the values of a document', () => {
  it.each([
    ['a default', { schema: { ...ORDERING, default: ['-name'] } }],
    ['a default beside a reference', { schema: { $ref: '#/components/schemas/Ordering', default: ['name'] } }],
    ['an example', { schema: ORDERING, example: ['name', '-name'] }],
    ['named examples', { schema: ORDERING, examples: { one: { value: ['name'] } } }],
    ['no value', { schema: ORDERING }],
  ])('are accepted when they match their schema: %s', (_, parameter) => {
    expect(findWrongValues(createDocument(parameter))).toEqual([]);
  });

  it.each([
    [
      'a string for an array',
      { schema: { ...ORDERING, default: '-name' } },
      `${AT}/schema/default: "-name" data must be array`,
    ],
    [
      'a default beside a reference',
      { schema: { $ref: '#/components/schemas/Ordering', default: 'name' } },
      `${AT}/schema/default: "name" data must be array`,
    ],
    [
      'an example that is no choice',
      { schema: ORDERING, example: ['size'] },
      `${AT}/example: ["size"] data/0 must be equal to one of the allowed values`,
    ],
    [
      'a named example',
      { schema: ORDERING, examples: { one: { value: 1 } } },
      `${AT}/examples/one: 1 data must be array`,
    ],
    [
      'an example among the components',
      { schema: ORDERING, examples: { one: { $ref: '#/components/examples/One' } } },
      `${AT}/examples/one: 2 data must be array`,
    ],
  ])('are refused: %s', (_, parameter, refusal) => {
    expect(findWrongValues(createDocument(parameter, { examples: { One: { value: 2 } } }))).toEqual([refusal]);
  });
});
