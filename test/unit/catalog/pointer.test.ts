import { expect, it } from 'vitest';
import { pointer } from '../../../shared/catalog/file/snapshot.ts';

const POINTER = {
  version: '0123456789abcdef',
  sha256: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
  bytes: 1,
  published_at: '2026-11-21T18:00:00.000Z',
};

it('a pointer names a version, its hash, its size and when it became current', () => {
  expect(pointer.parse(POINTER)).toEqual(POINTER);
});

it.each([
  ['version', `${POINTER.version}0`],
  ['version', `x${POINTER.version}`],
  ['version', POINTER.version.slice(1)],
  ['version', 'ABCDEF0123456789'],
  ['sha256', `${POINTER.sha256}0`],
  ['sha256', `../${POINTER.sha256}`],
  ['sha256', POINTER.sha256.slice(1)],
  ['bytes', 0],
  ['bytes', 1.5],
  ['published_at', 'today'],
  ['published_at', undefined],
])('with the %s %j it is none', (field, value) => {
  expect(pointer.safeParse({ ...POINTER, [field]: value }).success).toBe(false);
});
