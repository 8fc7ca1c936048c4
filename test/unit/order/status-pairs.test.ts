import { expect, it } from 'vitest';
import { parsePairName, toPairName } from '../../../shared/order/lists/counters.ts';
import { ORDER_STATUSES, PAYMENT_STATUSES } from '../../../shared/order/rules/status.ts';

const pairs = ORDER_STATUSES.flatMap((orderStatus) =>
  PAYMENT_STATUSES.map((paymentStatus) => ({ orderStatus, paymentStatus })),
);

it('every pair of statuses has its own name of two letters', () => {
  const names = pairs.map(toPairName);
  expect(new Set(names).size).toBe(60);
  expect(names.every((name) => /^[a-z]{2}$/.test(name))).toBe(true);
  expect(names.map(parsePairName)).toEqual(pairs);
});

it.each([
  ['approved', 'unpaid', 'au'],
  ['delayed', 'processing', 'lo'],
  ['shortage', 'in_process', 'hi'],
  ['pending_approval', 'credit', 'pc'],
] as const)('%s and %s keep their stored name %s', (orderStatus, paymentStatus, name) => {
  expect(toPairName({ orderStatus, paymentStatus })).toBe(name);
});

it.each(['', 'a', 'ax', 'changes', 'approved:unpaid', 'constructor'])('%j is the name of no pair', (name) => {
  expect(parsePairName(name)).toBeUndefined();
});
