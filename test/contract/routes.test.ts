import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ApiDescription, DESCRIPTION, listCalls, readJson } from '../../infra/api/description.ts';
import { routes, servedRoutes } from '../../shared/api/routes.ts';
import { readQuery } from '../../shared/http/validation.ts';

const root = join(import.meta.dirname, '../..');

describe('the route table', () => {
  it('holds the routes of the interface that are served', () => {
    expect(routes.map(({ method, path, authentication }) => `${method} ${path} ${authentication}`)).toEqual([
      'POST /api/token/ client',
      'POST /api/password/ client',
      'PUT /api/password/ client',
      'POST /api/orders/calculate/ key',
      'POST /api/orders/resources/ user',
      'GET /api/orders/ user',
      'GET /api/orders/{id}/ user',
      'PATCH /api/orders/{id}/ user',
      'POST /api/orders/{id}/payment/ user',
      'POST /api/orders/{id}/prescriptions/ user',
      'PATCH /api/orders/{id}/request-invoice/ user',
      'PUT /api/orders/{id}/request-invoice/ user',
      'GET /api/orders/{id}/events/ user',
      'GET /api/events/ user',
      'GET /api/products/ key',
      'GET /api/products/{id}/ key',
      'GET /api/products/{id}/substitutes/ key',
      'GET /api/products/{id}/availability/ key',
      'GET /api/categories/ key',
      'GET /api/pharmaceutical-companies/ key',
      'GET /api/diseases/ key',
      'GET /api/stores/ key',
      'GET /api/payment-methods/ user',
      'GET /api/me/ user',
      'PATCH /api/me/ user',
      'GET /api/me/export/ user',
    ]);
  });

  it('has a handler file for every row, and a row for every handler file', () => {
    const files = globSync('functions/**/*.ts', { cwd: root, exclude: ['functions/jobs/**'] });
    expect(files.sort()).toEqual([...new Set(servedRoutes.map(({ handler }) => handler))].sort());
    for (const { handler } of servedRoutes) expect(existsSync(join(root, handler)), handler).toBe(true);
  });

  it.each(servedRoutes)('$method $path: its file exports the handler', async ({ handler }) => {
    const module = await import(join(root, handler));
    expect(Object.keys(module)).toEqual(['handler']);
    expect(module.handler).toBeTypeOf('function');
  });
});

const parameters = listCalls(readJson(DESCRIPTION) as ApiDescription).flatMap(({ method, path, parameters }) =>
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
