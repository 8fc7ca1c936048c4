import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const SIZE_MB = 250;

/** A file system of its own, which a test fills and frees. */
export type SmallDisk = {
  /** The words that run the command behind them where the disk is mounted. */
  readonly enter: readonly string[];
  /** Fills the disk until so many bytes are left. */
  leave(freeBytes: number): void;
  /** Gives back what `leave` has taken. */
  free(): void;
};

/**
 * Mounts a disk of 250 MB in memory on a folder, until the test ends. It lies in a mount namespace of its own, which a user of
 * Linux may make without being root, and which ends with the test, also by a crash. Throws where the system makes none.
 */
export async function mountSmallDisk(folder: string): Promise<SmallDisk> {
  const script = `mount -t tmpfs -o size=${SIZE_MB}000000 tmpfs "$0" && echo mounted && exec cat`;
  const holder = spawn('unshare', ['-rm', 'sh', '-c', script, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => {
    holder.stdin.destroy();
  });
  const ended = once(holder, 'close').then(
    () => false,
    () => false,
  );
  const isMounted = await Promise.race([once(holder.stdout, 'data').then(() => true), ended]);
  if (!isMounted) throw new Error('`unshare -rm` mounts no disk here: run this test on Linux, with user namespaces.');
  const seen = `/proc/${holder.pid}/root${folder}`;
  const ballast = join(seen, 'ballast');
  function tookAllBut(freeBytes: number): boolean {
    const { bavail, bsize } = statfsSync(seen);
    return spawnSync('fallocate', ['-l', String(bavail * bsize - freeBytes), ballast]).status === 0;
  }
  return {
    enter: [...'nsenter --preserve-credentials -U -m -t'.split(' '), String(holder.pid), ...inFolder(process.cwd())],
    leave(freeBytes) {
      // `fallocate` fails if the server writes at the same moment.
      for (let tries = 0; tries < 10; tries += 1) if (tookAllBut(freeBytes)) return;
      throw new Error('`fallocate` cannot fill the disk.');
    },
    free: () => rmSync(ballast),
  };
}

// A process that enters a mount namespace begins at its root.
const inFolder = (folder: string) => ['sh', '-c', 'cd "$0" && exec "$@"', folder];
