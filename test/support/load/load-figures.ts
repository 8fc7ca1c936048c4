import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { percentile } from '../../bench/figures.ts';
import type { Sample } from './load-traffic.ts';

type Times = 'ms' | 'serverMs' | 'functionMs' | 'databaseMs';

/**
 * Formats the measurements of a stage: `81/s, p50 82 ms, p95 807 ms, p99 1726 ms, waiting 31 %, database 72 %`.
 * `waiting` is the share of the server time in which requests waited for a free function. `database` is the duration of
 * all database calls as a share of the function time; it exceeds 100 % when calls run in parallel.
 */
export function figureOf(samples: readonly Sample[], seconds: number): string {
  const times = samples.map(({ ms }) => ms);
  const at = (share: number) => `p${share * 100} ${round(percentile(times, share))} ms`;
  const sum = (of: Times) => samples.reduce((total, sample) => total + sample[of], 0);
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  const waiting = percent(1 - sum('functionMs') / sum('serverMs'));
  const database = percent(sum('databaseMs') / sum('functionMs'));
  const rate = `${round(samples.length / seconds)}/s`;
  return [rate, at(0.5), at(0.95), at(0.99), `waiting ${waiting}`, `database ${database}`].join(', ');
}

const round = (value: number): string => value.toFixed(value < 10 ? 1 : 0);

/** Returns the resident memory of a process in MB, without its child processes. */
export function residentMb(pid: number): number {
  // Some Linux systems have no `ps`, and macOS has no /proc.
  const kilobytes =
    process.platform === 'linux'
      ? /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
      : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return Math.round(Number(kilobytes) / 1_024);
}
