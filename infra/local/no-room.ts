import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isWithoutRoom } from '../../shared/runtime/system-error.ts';
import type { SpaceWatch } from './free-space.ts';
import { FailedStorage, LocalServerError } from './local-server-error.ts';

// An engine needs some 32 KB to open its file.
const PROBE_BYTES = 1_000_000;

/**
 * Returns the error of a start as the user gets it. One that a full disk may have caused says so, whatever else it said: who was
 * advised to empty the data would lose every order.
 */
export function explainFailedStart(error: unknown, directory: string, space: Pick<SpaceWatch, 'isLow'>): unknown {
  const isByDisk = lacksRoom(error) || (error instanceof FailedStorage && (space.isLow() || takesNothing(directory)));
  if (!isByDisk) return error;
  return new LocalServerError(`There is no room on the disk of ${directory}: make room, and start again.`, {
    cause: error,
  });
}

/** True if the operating system said so in the error or one of its causes. */
function lacksRoom(error: unknown): boolean {
  return isWithoutRoom(error) || (error instanceof Error && lacksRoom(error.cause));
}

/** True if the folder takes no more, as under a quota, which the free space of the disk does not show. */
function takesNothing(directory: string): boolean {
  const probe = join(directory, '.probe');
  try {
    writeFileSync(probe, Buffer.alloc(PROBE_BYTES));
    return false;
  } catch (error) {
    return lacksRoom(error);
  } finally {
    rmSync(probe, { force: true });
  }
}
