import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import { createSpaceWatch, explainFailedStart, readFreeBytes } from '../../../infra/local/free-space.ts';
import { failedStorage, LocalServerError } from '../../../infra/local/local-server-error.ts';

const LOW = 'Only 199 MB are free for /data: writes are answered 503 until there are 200 MB; reads go on.';
const ENOUGH = '200 MB are free for /data: writes are served again.';

function watch(...readings: number[]) {
  const lines: string[] = [];
  const space = createSpaceWatch({
    directory: '/data',
    report: (line) => lines.push(line),
    readFree: () => (readings.length > 1 ? readings.shift() : readings[0]) ?? 0,
  });
  return { space, lines };
}

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

it('says nothing while there are 200 MB', () => {
  const { space, lines } = watch(200_000_000);
  space.start();
  expect(space.isLow()).toBe(false);
  expect(space.disk()).toEqual({ directory: '/data', freeBytes: 200_000_000, shortage: null });
  expect(lines).toEqual([]);
});

it('stops writes below 200 MB, says so once, and recovers by itself', async () => {
  const { space, lines } = watch(199_999_999, 199_999_998, 199_000_000, 199_000_000, 200_000_000);
  space.start();
  expect(space.isLow()).toBe(true);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(lines).toEqual([LOW]);
  expect(space.disk()).toEqual({
    directory: '/data',
    freeBytes: 199_000_000,
    shortage: {
      es: 'Quedan solo 199 MB libres para /data, y el servidor local no guarda nada con menos de 200 MB: haga lugar.',
      en: 'Only 199 MB are free for /data, and the local server stores nothing below 200 MB: make room.',
    },
  });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(space.isLow()).toBe(false);
  expect(lines).toEqual([LOW, ENOUGH]);
});

it('sees a disk that fills between two reports', () => {
  const { space, lines } = watch(10_000_000_000, 10_000_000_000, 0);
  space.start();
  expect(space.isLow()).toBe(false);
  expect(space.isLow()).toBe(true);
  expect(lines).toEqual([]);
});

it('reports no more once it is stopped', async () => {
  const { space, lines } = watch(200_000_000, 1);
  space.start();
  await space.stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(lines).toEqual([]);
});

it('is read from the file system, also for a folder that does not exist yet', () => {
  expect(readFreeBytes(import.meta.dirname)).toBeGreaterThan(0);
  expect(readFreeBytes(join(import.meta.dirname, 'absent/data'))).toBeGreaterThan(0);
});

const NO_ROOM = `There is no room on the disk of ${tmpdir()}: make room, and start again.`;
const failed = failedStorage(tmpdir(), 'InternalFailure', undefined);
const refused = new LocalServerError('Port 3000 is in use: set PORT to a free one.');
const coded = (code: string) => Object.assign(new Error('write'), { code });

it.each([
  ['storage that failed', failed, true, NO_ROOM],
  ['storage that failed', failed, false, failed.message],
  ['another fault', refused, true, refused.message],
  ['ENOSPC', coded('ENOSPC'), false, NO_ROOM],
  ['EDQUOT as a cause', new LocalServerError('x', { cause: coded('EDQUOT') }), false, NO_ROOM],
  ['EACCES as a cause', new LocalServerError('x', { cause: coded('EACCES') }), true, 'x'],
])('explains %s, low space being %3$s', (_, error, isLow, message) => {
  expect(explainFailedStart(error, tmpdir(), { isLow: () => isLow })).toMatchObject({ message });
});
