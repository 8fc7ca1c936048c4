import { statfs } from 'node:fs/promises';
import type { Text } from '../../shared/messages/say.ts';

/**
 * Below this writes stop. DynamoDB Local answers a write before its file holds it: on a full disk, orders that were answered
 * 201 were lost. 200 MB are what its write-ahead log and a hundred documents may take until the next look.
 */
export const LEAST_FREE_BYTES = 200_000_000;
const LOOK_EVERY_MS = 2_000;

export type ReadFreeBytes = (directory: string) => Promise<number>;

/** Returns the bytes that this user may still write to the folder's file system. */
export async function readFreeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

export const toMegabytes = (bytes: number): string => `${Math.floor(bytes / 1_000_000)} MB`;

export type SpaceWatchOptions = {
  readonly directory: string;
  readonly report: (line: string) => void;
  readonly readFree?: ReadFreeBytes;
};

/** Tells whether the disk is short of space. */
export type SpaceWatch = ReturnType<typeof createSpaceWatch>;

/** Follows the free space of the data folder, and reports in one line when it becomes too little and when it is enough again. */
export function createSpaceWatch({ directory, report, readFree = readFreeBytes }: SpaceWatchOptions) {
  let isLow = false;
  let shortage: Text | null = null;
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const free = await readFree(directory);
    const wasLow = isLow;
    isLow = free < LEAST_FREE_BYTES;
    shortage = isLow ? describeShortage(directory, free) : null;
    if (isLow !== wasLow) report(isLow ? describeLow(directory, free) : describeEnough(directory, free));
  }

  return {
    isLow: () => isLow,
    /** A sentence on the shortage; null while there is none. */
    disk: () => ({ shortage }),
    look,
    /** Looks now, and then every 2 s. */
    async start(): Promise<void> {
      await look();
      timer = setInterval(() => void look().catch((error) => report(`${directory}: ${error}`)), LOOK_EVERY_MS);
    },
    async stop(): Promise<void> {
      clearInterval(timer);
    },
  };
}

function describeShortage(directory: string, free: number): Text {
  const [left, least] = [toMegabytes(free), toMegabytes(LEAST_FREE_BYTES)];
  return {
    es: `Quedan solo ${left} libres para ${directory}, y el servidor local no guarda nada con menos de ${least}: haga lugar.`,
    en: `Only ${left} are free for ${directory}, and the local server stores nothing below ${least}: make room.`,
  };
}

const describeLow = (directory: string, free: number): string =>
  `Only ${toMegabytes(free)} are free for ${directory}: writes are answered 503 until there are ${toMegabytes(LEAST_FREE_BYTES)}; reads go on.`;

const describeEnough = (directory: string, free: number): string =>
  `${toMegabytes(free)} are free for ${directory}: writes are served again.`;
