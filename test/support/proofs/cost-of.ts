import { readFileSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The CPU time of all threads of this process and the growth of its resident memory at the peak. */
export type Cost = { readonly cpuMs: number; readonly megabytes: number };

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Returns the resident memory in megabytes when there is no garbage. */
export function restingMegabytes(): number {
  collectGarbage();
  return readMegabytes('VmRSS');
}

/**
 * Measures one run, garbage included. Its memory is what the process has beyond `resting` at the peak, with all that it
 * did not give back since then; it is 0 on systems other than Linux.
 */
export async function costOf(run: () => unknown, resting: number): Promise<Cost> {
  collectGarbage();
  resetPeak();
  const startedAt = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(startedAt);
  return { cpuMs: (user + system) / 1_000, megabytes: Math.max(0, readMegabytes('VmHWM') - resting) };
}

// Writing 5 resets the peak of the resident memory (proc_pid_clear_refs(5)).
function resetPeak(): void {
  if (process.platform === 'linux') writeFileSync('/proc/self/clear_refs', '5');
}

function readMegabytes(field: 'VmRSS' | 'VmHWM'): number {
  if (process.platform !== 'linux') return 0;
  const [, kilobytes] =
    new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
}
