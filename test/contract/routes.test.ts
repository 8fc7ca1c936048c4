import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { routes, servedRoutes } from '../../shared/api/routes.ts';

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

  it('has a file for each row, but for the two methods of an invoice, which are one flow', () => {
    const shared = [...Map.groupBy(servedRoutes, ({ handler }) => handler).values()].filter(({ length }) => length > 1);
    expect(shared.map((rows) => rows.map(({ method, path }) => `${method} ${path}`))).toEqual([
      ['PATCH /api/orders/{id}/request-invoice/', 'PUT /api/orders/{id}/request-invoice/'],
    ]);
  });

  it.each(servedRoutes)('$method $path: its file exports the handler', async ({ handler }) => {
    const module = await import(join(root, handler));
    expect(Object.keys(module)).toEqual(['handler']);
    expect(module.handler).toBeTypeOf('function');
  });

  const SMALL_LISTS = /^(categories|pharmaceutical-companies|diseases|stores)-list$/;
  it.each(servedRoutes)('$method $path: it has a component test', ({ handler }) => {
    const file = handler.replace('functions/', '').replace('.ts', '').replace('/', '-');
    const name = file.replace(SMALL_LISTS, 'small-lists');
    expect(existsSync(join(root, `test/component/routes/${name}.test.ts`)), name).toBe(true);
  });
});
