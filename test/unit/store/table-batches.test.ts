import { setImmediate as turn } from 'node:timers/promises';
import type { BatchGetCommand, BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Table } from '../../../shared/store/table.ts';

it('items without conditions are sent by 25, four batches at once', async () => {
  const sizes: (number | undefined)[] = [];
  const underWay: (() => void)[] = [];
  const send = async ({ input }: BatchWriteCommand) => {
    sizes.push(input.RequestItems?.pharmacy?.length);
    await new Promise<void>((answer) => underWay.push(answer));
    return {};
  };
  const table = new Table('pharmacy', { send } as unknown as DynamoDBDocumentClient);
  const written = table.putAll(Array.from({ length: 210 }, (_, number) => ({ pk: 'a', sk: String(number) })));
  await turn();
  expect(sizes).toHaveLength(4);
  // The fifth is sent when one of the first four has been answered.
  underWay.shift()?.();
  await turn();
  expect(sizes).toHaveLength(5);
  while (underWay.length > 0) {
    underWay.shift()?.();
    await turn();
  }
  await written;
  expect(sizes).toEqual([25, 25, 25, 25, 25, 25, 25, 25, 10]);
});

it('items are read by their names, without those that have no key or are not there', async () => {
  const asked: unknown[] = [];
  const [first, absent, third] = [
    { pk: 'a', sk: '1' },
    { pk: 'b', sk: '2' },
    { pk: 'c', sk: '3' },
  ];
  const send = async ({ input }: BatchGetCommand) => {
    asked.push(input.RequestItems?.pharmacy?.Keys);
    return { Responses: { pharmacy: [third, first] } };
  };
  const table = new Table('pharmacy', { send } as unknown as DynamoDBDocumentClient);
  expect(await table.getNamed({ first, absent, unasked: undefined, third })).toEqual({ first, third });
  expect(asked).toEqual([[first, absent, third]]);
});

it('items that DynamoDB did not process are sent again after a growing pause', async () => {
  vi.useFakeTimers({ fakeNodeBuiltins: true });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  onTestFinished(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
  const startedAt = Date.now();
  const sentAfterMs: number[] = [];
  const send = async ({ input }: BatchWriteCommand) => {
    sentAfterMs.push(Date.now() - startedAt);
    return sentAfterMs.length < 3 ? { UnprocessedItems: input.RequestItems } : {};
  };
  const table = new Table('pharmacy', { send } as unknown as DynamoDBDocumentClient);
  const written = table.putAll([{ pk: 'a', sk: '1' }]);
  await vi.runAllTimersAsync();
  await written;
  expect(sentAfterMs).toEqual([0, 100, 300]);
});
