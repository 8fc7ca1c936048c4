import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Text } from '../../shared/messages/say.ts';
import { isWithoutRoom } from '../../shared/runtime/system-error.ts';
import { FailedStorage, LocalServerError } from './local-server-error.ts';

/**
 * Below this writes stop. On a full disk Dynoxide refuses each write and loses none, but then says that it cannot roll back either;
 * DynamoDB Local answers a write before its file holds it, so that orders that were answered 201 were lost. 200 MB are several
 * times what the requests that the gateway runs at once can store, 8 of at most 6 MB each.
 */
const LEAST_FREE_BYTES = 200_000_000;
const REPORT_EVERY_MS = 2_000;

/** Returns the bytes that this user may still write to the file system of a folder, which need not exist yet. */
export function readFreeBytes(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch (error) {
    const parent = dirname(directory);
    if (parent === directory) throw error;
    return readFreeBytes(parent);
  }
}

const toMegabytes = (bytes: number): string => `${Math.floor(bytes / 1_000_000)} MB`;

/** The data folder, the free space of its disk, and a sentence if that is too little. */
export type Disk = { readonly directory: string; readonly freeBytes: number; readonly shortage: Text | null };

/** Tells whether the disk is short of space. */
export type SpaceWatch = ReturnType<typeof createSpaceWatch>;

type SpaceOptions = { directory: string; report(line: string): void; readFree?(directory: string): number };

/** Follows the free space of the data folder, and reports in one line when it becomes too little and when it is enough again. */
export function createSpaceWatch({ directory, report, readFree = readFreeBytes }: SpaceOptions) {
  let wasLow = false;
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    const freeBytes = readFree(directory);
    if (isTooLittle(freeBytes) === wasLow) return;
    wasLow = !wasLow;
    const outcome = wasLow
      ? `writes are answered 503 until there are ${toMegabytes(LEAST_FREE_BYTES)}; reads go on.`
      : 'writes are served again.';
    report(`${wasLow ? 'Only ' : ''}${toMegabytes(freeBytes)} are free for ${directory}: ${outcome}`);
  }

  return {
    /** Looks anew, which takes 5 µs: a copy fills a disk in less time than lies between two reports. */
    isLow: () => isTooLittle(readFree(directory)),
    /** Looks anew. `shortage` is a sentence; null while there is none. */
    disk(): Disk {
      const freeBytes = readFree(directory);
      return { directory, freeBytes, shortage: isTooLittle(freeBytes) ? describeShortage(directory, freeBytes) : null };
    },
    /** Reports now, and then every 2 s, if the space has become too little or enough. */
    start(): void {
      look();
      timer = setInterval(look, REPORT_EVERY_MS);
    },
    async stop(): Promise<void> {
      clearInterval(timer);
    },
  };
}

const isTooLittle = (freeBytes: number): boolean => freeBytes < LEAST_FREE_BYTES;

function describeShortage(directory: string, free: number): Text {
  const [left, least] = [toMegabytes(free), toMegabytes(LEAST_FREE_BYTES)];
  return {
    es: `Quedan solo ${left} libres para ${directory}, y el servidor local no guarda nada con menos de ${least}: haga lugar.`,
    en: `Only ${left} are free for ${directory}, and the local server stores nothing below ${least}: make room.`,
  };
}

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
