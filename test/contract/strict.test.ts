import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { type Route, routes } from '../../shared/api/routes.ts';
import { findIgnored } from '../../shared/http/validation.ts';
import { forbiddenPlaces, withFields } from '../support/hostile/hostile-fields.ts';
import { nameOf, WHOLE_BODIES } from '../support/hostile/whole-bodies.ts';

const findIn = ({ contract }: Route, parts: { body?: unknown; queryStringParameters?: Record<string, string> }) =>
  [...findIgnored(contract, parts as unknown as APIGatewayProxyEvent)].map(({ path, code }) => ({ path, code }));

// Names of a typing mistake, of what every JavaScript object has, and of read-only fields of the interface.
const NAMES = ['desconocido', 'toString', 'constructor', 'prototype', 'id', 'total', 'created_at'];

describe.each(routes.filter(({ contract }) => contract.body))(
  'strict handling of the body of $method $path',
  (route) => {
    const body = WHOLE_BODIES[nameOf(route)] ?? {};

    it('takes every field of the contract', () => {
      expect(findIn(route, { body })).toEqual([]);
    });

    it('tells each further field of each object', () => {
      const places = route.contract.body ? forbiddenPlaces(route.contract.body, body, NAMES) : [];
      expect(places.length).toBeGreaterThanOrEqual(NAMES.length);
      for (const place of places) {
        const spoilt = JSON.parse(withFields(body, [{ place, value: { a: [1] } }]));
        expect(findIn(route, { body: spoilt })).toEqual([{ path: place, code: 'unknown_field' }]);
      }
      const all = JSON.parse(
        withFields(
          body,
          places.map((place) => ({ place, value: 1 })),
        ),
      );
      const told = findIn(route, { body: all }).map(({ path }) => path.join('.'));
      expect(told.sort()).toEqual(places.map((place) => place.join('.')).sort());
    });

    it('takes the other forms of a value', () => {
      expect(findIn(route, { body: {} })).toEqual([]);
      for (const name of Object.keys(body)) {
        for (const value of [null, 7, [], [null, 7, []]])
          expect(findIn(route, { body: { [name]: value } })).toEqual([]);
      }
    });
  },
);

describe.each(routes)('strict handling of the query of $method $path', (route) => {
  const known = Object.keys(route.contract.query?.shape ?? {});

  it('takes the parameters of the contract and tells all others', () => {
    const sent = Object.fromEntries([...known, 'serach', 'toString', 'id'].map((name) => [name, '1']));
    expect(findIn(route, { queryStringParameters: sent })).toEqual(
      ['serach', 'toString', 'id'].map((name) => ({ path: [name], code: 'unknown_parameter' })),
    );
  });
});

it('finds objects inside of objects and arrays', () => {
  const order = routes.find(({ path }) => path === '/api/orders/resources/');
  const body = {
    order: {
      detials: [],
      details: [
        { product: 1, quantity: 1 },
        { product: 1, cuantity: 1 },
      ],
    },
  };
  expect(order && findIn(order, { body })).toEqual([
    { path: ['order', 'detials'], code: 'unknown_field' },
    { path: ['order', 'details', 1, 'cuantity'], code: 'unknown_field' },
  ]);
});
