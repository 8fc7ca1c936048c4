import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ApiDescription, listCalls } from '../../infra/api/description.ts';
import { routes } from '../../shared/api/routes.ts';
import { readQuery } from '../../shared/http/validation.ts';

const description: ApiDescription = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../infra/api/openapi.json'), 'utf8'),
);
const parameters = listCalls(description).flatMap(({ method, path, parameters }) =>
  parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema }) => ({ method, path, name, isList: schema.type === 'array' })),
);
const LISTS =
  'ean_key__in exclude_order_status__in facets id__in include order_status__in ordering payment_status__in type';

describe('a parameter that is sent several times', () => {
  it('is one of these if it is a list', () => {
    const names = parameters.filter(({ isList }) => isList).map(({ name }) => name);
    expect([...new Set(names)].sort()).toEqual(LISTS.split(' '));
  });

  it.each(parameters)(
    '$method $path: $name is joined if the description calls it a list',
    ({ name, isList, ...call }) => {
      const row = routes.find(({ method, path }) => method === call.method && path === call.path);
      const sent = {
        queryStringParameters: { [name]: 'c' },
        multiValueQueryStringParameters: { [name]: ['a', '', 'b', 'c'] },
      };
      expect(readQuery(row?.contract.query, sent)).toEqual({ [name]: isList ? 'a,b,c' : 'c' });
    },
  );
});
