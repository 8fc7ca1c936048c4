import { execFileSync } from 'node:child_process';

/** A process with its resident memory. */
export type ProcessSize = { readonly pid: number; readonly command: string; readonly megabytes: number };
type Row = ProcessSize & { readonly parent: number };

/** Returns a process and all that it has started, by themselves or through others. */
export function readProcessTree(pid: number): ProcessSize[] {
  const rows = readProcesses();
  const found = rows.filter((row) => row.pid === pid);
  for (const { pid: known } of found) found.push(...rows.filter(({ parent }) => parent === known));
  return found;
}

export const sumMegabytes = (processes: readonly ProcessSize[]): number =>
  processes.reduce((sum, { megabytes }) => sum + megabytes, 0);

function readProcesses(): Row[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,rss=,args='], { maxBuffer: 100_000_000 }).toString();
  return lines.split('\n').flatMap((line) => {
    const [, pid, parent, kilobytes, command = ''] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)/.exec(line) ?? [];
    return pid ? [{ pid: Number(pid), parent: Number(parent), megabytes: Number(kilobytes) / 1_024, command }] : [];
  });
}
