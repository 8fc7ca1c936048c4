import { setTimeout as pause } from 'node:timers/promises';
import { type Figure, median } from './figures.ts';
import { npmStart } from './memory/npm-start.ts';
import { type ProcessSize, readProcessTree, sumMegabytes } from './memory/process-tree.ts';
import { visitUntil } from './memory/visitors.ts';

const SAMPLE_MS = 10_000;
const BAR_MB = 300;

/**
 * Measures the resident memory of all processes of `npm start` under the traffic of a shop, for `BENCH_MINUTES` (2 unless
 * set; 60 for the figure that has the bar).
 */
export async function benchMemory(): Promise<Figure[]> {
  const minutes = Number(process.env.BENCH_MINUTES ?? 2);
  const server = await npmStart();
  try {
    Object.assign(process.env, server.env);
    const signal = AbortSignal.timeout(minutes * 60_000);
    const samples = [takeSample(server.pid)];
    const visits = visitUntil(signal, server.url);
    await Promise.race([visits, sampleUntil(signal, () => samples.push(takeSample(server.pid)))]);
    const { requests, failures } = await visits;
    console.log(`${requests} requests in ${minutes} minutes, ${failures.length} failed.`);
    for (const failure of new Set(failures)) console.log(failure);
    return toFigures(samples, minutes);
  } finally {
    await server.stop();
  }
}

/** Prints the sum, and the size of each process. */
function takeSample(pid: number): ProcessSize[] {
  const sizes = readProcessTree(pid);
  const parts = sizes.map(({ command, megabytes }) => `${command} ${Math.round(megabytes)}`).join(', ');
  console.log(`${new Date().toISOString()}  ${Math.round(sumMegabytes(sizes))} MB: ${parts}`);
  return sizes;
}

async function sampleUntil(signal: AbortSignal, sample: () => void): Promise<void> {
  while (!signal.aborted) {
    await pause(SAMPLE_MS, undefined, { signal }).catch(() => undefined);
    sample();
  }
}

function toFigures(samples: readonly ProcessSize[][], minutes: number): Figure[] {
  const sums = samples.map(sumMegabytes);
  const figure = (what: string, value: number): Figure => ({
    what: `memory of npm start, ${what}`,
    value,
    unit: 'MB',
    bar: BAR_MB,
  });
  return [
    figure('when ready', sums[0] ?? Number.NaN),
    figure(`median of ${minutes} minutes`, median(sums)),
    figure('highest', Math.max(...sums)),
    figure('last', sums.at(-1) ?? Number.NaN),
  ];
}
