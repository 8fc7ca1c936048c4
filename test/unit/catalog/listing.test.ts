import { describe, expect, it } from 'vitest';
import { toRanks } from '../../../shared/catalog/file/columns.ts';
import { placeBehind, positionOf } from '../../../shared/catalog/listing.ts';

const IDS = [1, 2, 4, 5];
const NAMES = ['a', 'b', 'b', 'b'];
const PRICES = [900, 1_000, 90, 1_000];
const rows = {
  size: 4,
  ranks: { name: toRanks(NAMES), price: toRanks(PRICES) },
  idOf: (row: number) => IDS[row] ?? 0,
  sortValues: (row: number) => ({ name: NAMES[row] ?? '', price: PRICES[row] ?? 0 }),
};
const by = (...fields: ('name' | '-name' | 'price' | '-price')[]) => ({
  rows,
  ordering: fields.map((term) => ({
    field: term.replace('-', '') as 'name' | 'price',
    descending: term.startsWith('-'),
  })),
});

describe('a position', () => {
  it('has the values of the ordering and the id', () => {
    expect(positionOf(2, by('name', '-price'))).toEqual(['b', 90, 4]);
  });

  it.each([
    ['the beginning', by('name'), [0, 1, 2, 3], [], 0],
    ['a row', by('name'), [0, 1, 2, 3], ['b', 2], 2],
    ['a row among equal ones, descending', by('-name'), [3, 2, 1, 0], ['b', 4], 2],
    ['a row of the second field', by('name', '-price'), [0, 1, 3, 2], ['b', 1_000, 5], 3],
    ['one of equal rows, in the direction of the first field', by('-name', 'price'), [2, 3, 1, 0], ['b', 1_000, 5], 2],
    ['the last row', by('price'), [2, 0, 1, 3], [1_000, 5], 4],
    ['a row that is gone, among equal ones', by('name'), [0, 1, 2, 3], ['b', 3], 2],
    ['a row that is gone, among equal ones, descending', by('-name'), [3, 2, 1, 0], ['b', 3], 2],
    ['one of equal rows that is gone, as the first field', by('-name', 'price'), [2, 3, 1, 0], ['b', 1_000, 4], 2],
    ['a row that is gone, behind all', by('price'), [2, 0, 1, 3], [1_001, 3], 4],
    ['a row that moved on, from where it was', by('price'), [2, 0, 1, 3], [89, 2], 0],
    ['a row that moved back, from where it was', by('-price'), [3, 1, 0, 2], [1_000, 4], 1],
    ['numbers by their value, not as texts', by('price'), [2, 0, 1, 3], [950, 3], 2],
  ])('behind which rows follow: %s', (_, ordered, order, position, place) => {
    expect(placeBehind(position, Uint32Array.from(order), ordered)).toBe(place);
  });
});
