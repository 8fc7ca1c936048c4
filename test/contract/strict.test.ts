import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { routes } from '../../shared/api/routes.ts';
import { findIgnored } from '../../shared/http/validation.ts';
import { forbiddenPlaces, withFields } from '../support/hostile/hostile-fields.ts';
import { nameOf, WHOLE_BODIES } from '../support/hostile/whole-bodies.ts';

// Names of a typing mistake, of what every JavaScript object has, and of read-only fields of the interface.
const NAMES = ['desconocido', 'toString', 'constructor', 'prototype', 'id', 'total', 'created_at'];

describe.each(routes.filter(({ contract }) => contract.body))(
  'strict handling of the body of $method $path',
  ({ contract, ...route }) => {
    const sample = WHOLE_BODIES[nameOf(route)] ?? {};
    const findIn = (body: unknown) =>
      [...findIgnored(contract, { body } as APIGatewayProxyEvent)].map(({ path }) => path.join('.'));

    it('tells each further field of each object, and no field of the contract', () => {
      const places = contract.body ? forbiddenPlaces(contract.body, sample, NAMES) : [];
      expect(places.length).toBeGreaterThanOrEqual(NAMES.length);
      const fields = places.map((place) => ({ place, value: { a: [1] } }));
      const told = findIn(JSON.parse(withFields(sample, fields)));
      expect(told.sort()).toEqual(places.map((place) => place.join('.')).sort());
    });

    it('takes the other forms of a value', () => {
      expect(findIn({})).toEqual([]);
      for (const name of Object.keys(sample)) {
        for (const value of [null, 7, [], [null, 7, []]]) expect(findIn({ [name]: value })).toEqual([]);
      }
    });
  },
);
