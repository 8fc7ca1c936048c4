import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { DEMO_PASSWORD } from '../../infra/local/seed.ts';
import { freePorts } from '../support/engines/ports.ts';
import { callHeaders } from '../support/http/call.ts';
import { sendHttp } from '../support/http/http.ts';
import { openTraffic } from '../support/load/load-traffic.ts';
import { INVOICING, orderBody, PDF } from '../support/orders/samples.ts';
import { type Figure, median } from './figures.ts';

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
  const server = await npmStart();
  try {
    const signal = AbortSignal.timeout(minutes * 60_000);
    const samples = [measureMegabytes(server.pid)];
    const traffic = await openTraffic(server.url);
    const faults: unknown[] = [];
    const ask = async () => faults.push(...[(await traffic.ask()).fault].filter(Boolean));
    const sample = async () => samples.push(measureMegabytes(server.pid));
    const place = async () => faults.push(...(await placeWithPapers(server.url)));
    const loops = Array.from({ length: LOOPS }, () => repeat(ask, REQUEST_EVERY_MS, signal));
    await Promise.all([...loops, repeat(place, SAMPLE_MS, signal), repeat(sample, SAMPLE_MS, signal)]);
    for (const fault of new Set(faults)) console.log(fault);
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

/** Places an order with a prescription and an invoice. Returns what failed, if anything did. */
async function placeWithPapers(url: string): Promise<string[]> {
  const { origin, pathname: stage } = new URL(url);
  const post = (path: string, body: object, token = '') =>
    sendHttp(origin, `${stage}${path}`, { method: 'POST', headers: callHeaders(token ? { token } : {}), body });
  const login = await post('/api/token/', { email: 'aseguradora@demo.example', password: DEMO_PASSWORD });
  const prescriptions = [{ document: PDF, issue_date: new Date().toISOString().slice(0, 10) }];
  const order = orderBody('papers@bench.example', { prescriptions }, { invoicing: INVOICING });
  const { status, body } = await post('/api/orders/resources/', order, login.body.access);
  return status === 201 ? [] : [`an order with papers: ${status} ${JSON.stringify(body)}`];
}

/** Runs `npm start` on free ports with its data in a new folder, and waits until it is ready. */
async function npmStart() {
  const directory = await mkdtemp(join(tmpdir(), 'bench-memory-'));
  const env = { ...process.env, ...(await freePorts()), LOCAL_DIR: directory };
  // In a process group of its own, which a Ctrl-C reaches as a whole.
  const npm = spawn('npm', ['start', '--', '--quiet'], { env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  const pid = Number(npm.pid);
  const ended = once(npm, 'exit');
  const stop = async () => {
    if (npm.exitCode === null && npm.signalCode === null) process.kill(-pid, 'SIGINT');
    await ended;
    await rm(directory, { recursive: true, force: true });
  };
  for await (const line of createInterface({ input: npm.stdout })) {
    if (!line.startsWith('ready ')) continue;
    npm.stdout.resume();
    return { pid, url: line.replace('ready ', ''), stop };
  }
  await stop();
  throw new Error('npm start ended before it was ready');
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
