import { expect, it, onTestFinished, vi } from 'vitest';
import { createSpaceWatch, readFreeBytes } from '../../../infra/local/free-space.ts';

const LOW = 'Only 199 MB are free for /data: writes are answered 503 until there are 200 MB; reads go on.';
const ENOUGH = '200 MB are free for /data: writes are served again.';

function watch(...readings: number[]) {
  const lines: string[] = [];
  const space = createSpaceWatch({
    directory: '/data',
    report: (line) => lines.push(line),
    readFree: async () => (readings.length > 1 ? readings.shift() : readings[0]) ?? 0,
  });
  return { space, lines };
}

it('says nothing while there are 200 MB', async () => {
  const { space, lines } = watch(200_000_000);
  await space.look();
  expect(space.isLow()).toBe(false);
  expect(lines).toEqual([]);
});

it('stops writes below 200 MB, says so once, and recovers by itself', async () => {
  const { space, lines } = watch(199_999_999, 199_000_000, 200_000_000);
  await space.look();
  await space.look();
  expect(space.isLow()).toBe(true);
  expect(lines).toEqual([LOW]);
  expect(space.disk()).toEqual({
    shortage: {
      es: 'Quedan solo 199 MB libres para /data, y el servidor local no guarda nada con menos de 200 MB: haga lugar.',
      en: 'Only 199 MB are free for /data, and the local server stores nothing below 200 MB: make room.',
    },
  });
  await space.look();
  expect(space.disk()).toEqual({ shortage: null });
  expect(space.isLow()).toBe(false);
  expect(lines).toEqual([LOW, ENOUGH]);
});

it('looks at the start, and again every 2 s until it is stopped', async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const { space } = watch(199_999_999, 200_000_000, 1);
  await space.start();
  expect(space.isLow()).toBe(true);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(space.isLow()).toBe(false);
  await space.stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(space.isLow()).toBe(false);
});

it('is read from the file system', async () => {
  expect(await readFreeBytes(import.meta.dirname)).toBeGreaterThan(0);
});
