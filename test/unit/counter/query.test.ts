import { expect, it } from 'vitest';
import { runLatest } from '../../../infra/counter/page/ui/server.ts';

it('a query drops the answer that a later one has overtaken', async () => {
  const [latest, early, late] = [{ current: 0 }, Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const runs = [runLatest(latest, () => early.promise), runLatest(latest, () => late.promise)];
  late.resolve('late');
  expect(await runs[1]).toBe('late');
  early.resolve('early');
  expect(await runs[0]).toBeUndefined();
});
