import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { INVOICING, orderBody, PDF } from '../support/orders/samples.ts';
import { type Figure, median } from './figures.ts';
import { NPM_START, startServer } from './processes.ts';
import { openTraffic } from './traffic.ts';

const SAMPLE_MS = 10_000;
const BAR_MB = 300;
// Four loops together send 25 requests a second, and so place an order a second.
const LOOPS = 4;
const REQUEST_EVERY_MS = 160;

/**
 * Measures the resident memory of all processes of `npm start` under the traffic of a shop, for `BENCH_MINUTES` (2 unless
 * set; 60 for the figure that has the bar).
 */
export async function benchMemory(): Promise<Figure[]> {
  const minutes = Number(process.env.BENCH_MINUTES ?? 2);
  const server = await startServer(NPM_START);
  try {
    const signal = AbortSignal.timeout(minutes * 60_000);
    const samples = [measureMegabytes(server.pid)];
    const traffic = await openTraffic(server.url);
    const sample = async () => samples.push(measureMegabytes(server.pid));
    const prescriptions = [{ document: PDF, issue_date: new Date().toISOString().slice(0, 10) }];
    const papers = orderBody('papers@bench.example', { prescriptions }, { invoicing: INVOICING });
    const loops = Array.from({ length: LOOPS }, () => repeat(traffic.ask, REQUEST_EVERY_MS, signal));
    const place = () => traffic.placeOne(papers);
    await Promise.all([...loops, repeat(place, SAMPLE_MS, signal), repeat(sample, SAMPLE_MS, signal)]);
    for (const fault of traffic.faults) console.log(fault);
    const sums = [samples[0] ?? 0, median(samples), Math.max(...samples), samples.at(-1) ?? 0];
    const what = `memory of npm start in ${minutes} minutes: when ready, median, highest, last`;
    return [{ what, value: sums, unit: 'MB', bar: BAR_MB }];
  } finally {
    await server.stop();
  }
}

async function repeat(work: () => Promise<unknown>, everyMs: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const end = performance.now() + everyMs;
    await work();
    await pause(Math.max(0, end - performance.now()), undefined, { signal }).catch(() => undefined);
  }
}

/** Prints and returns the resident memory of a process and all that it has started, by themselves or through others. */
function measureMegabytes(pid: number): number {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,rss=,args='], { maxBuffer: 100_000_000 }).toString();
  const rows = lines.split('\n').map((line) => {
    const [, own, parent, kilobytes, command] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)/.exec(line) ?? [];
    return { pid: Number(own), parent: Number(parent), megabytes: Number(kilobytes) / 1_024, command };
  });
  const found = rows.filter((row) => row.pid === pid);
  for (const { pid: known } of found) found.push(...rows.filter(({ parent }) => parent === known));
  console.log(found.map(({ command, megabytes }) => `${command} ${Math.round(megabytes)}`).join(', '));
  return found.reduce((sum, { megabytes }) => sum + megabytes, 0);
}
