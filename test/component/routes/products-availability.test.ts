import { expect, it } from 'vitest';
import { table } from '../../../shared/deps.ts';
import { setStock } from '../../../shared/stock/keep-stock.ts';
import { useServer } from '../../support/servers/test-server.ts';

const server = useServer();
const now = new Date('2026-11-29T18:00:00.000Z');

it('answers what every store has of a product, without a token', async () => {
  const counts = [
    { store: 1, product: 1, quantity: 7 },
    { store: 2, product: 1, quantity: 0 },
  ];
  await setStock(counts, { operator: 'ana', now }, table());
  const { status, body, headers } = await server.request('GET', '/api/products/1/availability/');
  expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
  expect(body).toEqual([
    { store: 1, is_available: true, quantity: 7 },
    { store: 2, is_available: false, quantity: 0 },
    { store: 3, is_available: true, quantity: null },
  ]);
});

it('follows has_shortage where nothing is counted, and finds published products alone', async () => {
  const { body } = await server.request('GET', '/api/products/129/availability/');
  expect(body[2]).toEqual({ store: 3, is_available: false, quantity: null });
  const unknown = await server.request('GET', '/api/products/99999/availability/');
  const keyless = await server.request('GET', '/api/products/1/availability/', { key: 'none' });
  expect([unknown.status, unknown.body.code, keyless.status]).toEqual([404, 'not_found', 403]);
});
