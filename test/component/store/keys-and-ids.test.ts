import { describe, expect, it } from 'vitest';
import { currentKeyUse, type Idempotency, keyUseWrite } from '../../../shared/order/rows/idempotency.ts';
import { Ids } from '../../../shared/store/ids.ts';
import { idempotencyKey, idsKey } from '../../../shared/store/keys.ts';
import { clientId, table, useOrderTable } from '../../support/orders/order-table.ts';

useOrderTable();

describe('an idempotency key', () => {
  const NOW = new Date('2026-01-02T18:00:00.000Z');
  const DAY_LATER = new Date('2026-01-03T18:00:00.000Z');
  const use: Omit<Idempotency, 'clientId'> = { userId: 5, key: 'again', fingerprint: 'of the body' };
  const read = () => table.get(idempotencyKey(clientId, 5, 'again'));

  it('leads to its order for a day', async () => {
    expect(currentKeyUse(await read(), NOW)).toBeUndefined();
    await table.transact([keyUseWrite({ clientId, ...use }, 7, NOW)]);
    const item = await read();
    expect(currentKeyUse(item, NOW)).toEqual({ fingerprint: 'of the body', orderId: 7 });
    expect(currentKeyUse(item, new Date(DAY_LATER.getTime() - 1))).toEqual({ fingerprint: 'of the body', orderId: 7 });
    expect(currentKeyUse(item, DAY_LATER)).toBeUndefined();
  });

  it('creates one order, and another one after a day', async () => {
    const write = (orderId: number, now: Date) => table.tryTransact([keyUseWrite({ clientId, ...use }, orderId, now)]);
    expect(await write(7, NOW)).toBe(true);
    expect(await write(8, new Date(DAY_LATER.getTime() - 1))).toBe(false);
    expect(await write(9, DAY_LATER)).toBe(true);
    expect(currentKeyUse(await read(), DAY_LATER)).toMatchObject({ orderId: 9 });
  });

  it('is removed by DynamoDB, at a time in whole seconds', async () => {
    await table.transact([keyUseWrite({ clientId, ...use }, 7, new Date('2026-01-02T18:00:00.001Z'))]);
    // This is 3 January 2026, 18:00:01 UTC.
    expect(await read()).toMatchObject({ ttl: 1_767_463_201 });
  });
});

describe('ids', () => {
  const last = async (kind: 'client' | 'order' | 'record') => Number((await table.get(idsKey(kind)))?.lastId ?? 0);

  it('are consecutive, and reserved in blocks', async () => {
    const ids = new Ids(table);
    const before = await last('order');
    expect(await ids.take('order', 3)).toEqual([before + 1, before + 2, before + 3]);
    expect(await last('order')).toBe(before + 100);
    expect(await ids.take('order', 98)).toEqual(Array.from({ length: 98 }, (_, index) => before + 4 + index));
    expect(await last('order')).toBe(before + 200);
    expect(await ids.take('order', 0)).toEqual([]);
  });

  it.each([
    ['client', 1],
    ['record', 1_000],
  ] as const)('of a %s are taken %i at a time', async (kind, size) => {
    const before = await last(kind);
    expect(await new Ids(table).take(kind, 1)).toEqual([before + 1]);
    expect(await last(kind)).toBe(before + size);
  });

  it('are distinct in two processes, and for two requests at the same time', async () => {
    const [one, two] = [new Ids(table), new Ids(table)];
    const before = await last('order');
    const taken = await Promise.all([one.take('order', 60), two.take('order', 30), one.take('order', 30)]);
    expect(new Set(taken.flat()).size).toBe(120);
    // The first process takes 90 ids from its first block.
    expect(await last('order')).toBe(before + 200);
  });
});
