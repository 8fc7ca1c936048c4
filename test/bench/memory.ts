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
import { type HttpAnswer, sendHttp } from '../support/http/http.ts';
import { openTraffic } from '../support/load/load-traffic.ts';
import { operate } from '../support/operators/operator.ts';
import { INVOICING, orderBody, PDF } from '../support/orders/samples.ts';
import { type Figure, median } from './figures.ts';

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

/** A local server that was started as a user starts it. */
type Started = {
  /** The process of npm, which has started all others. */
  readonly pid: number;
  /** The URL with the stage, without a slash at the end. */
  readonly url: string;
  /** The environment with which an operator's command finds the server. */
  readonly env: NodeJS.ProcessEnv;
  /** Ends all processes, as Ctrl-C does, and removes the data. */
  stop(): Promise<void>;
};

/** Runs `npm start` on free ports with its data in a new folder, and waits until it is ready. */
async function npmStart(): Promise<Started> {
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
    return { pid, url: line.replace('ready ', ''), env, stop };
  }
  await stop();
  throw new Error('npm start ended before it was ready');
}

/** A process with its resident memory. */
type ProcessSize = { readonly pid: number; readonly command: string; readonly megabytes: number };
type Row = ProcessSize & { readonly parent: number };

/** Returns a process and all that it has started, by themselves or through others. */
function readProcessTree(pid: number): ProcessSize[] {
  const rows = readProcesses();
  const found = rows.filter((row) => row.pid === pid);
  for (const { pid: known } of found) found.push(...rows.filter(({ parent }) => parent === known));
  return found;
}

const sumMegabytes = (processes: readonly ProcessSize[]): number =>
  processes.reduce((sum, { megabytes }) => sum + megabytes, 0);

function readProcesses(): Row[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,rss=,args='], { maxBuffer: 100_000_000 }).toString();
  return lines.split('\n').flatMap((line) => {
    const [, pid, parent, kilobytes, command = ''] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)/.exec(line) ?? [];
    return pid ? [{ pid: Number(pid), parent: Number(parent), megabytes: Number(kilobytes) / 1_024, command }] : [];
  });
}

// Four loops together send 25 requests a second, and so place an order a second.
const LOOPS = 4;
const REQUEST_EVERY_MS = 160;
const PAPERS_EVERY_MS = 10_000;

type Visits = { readonly requests: number; readonly failures: readonly string[] };

/**
 * Sends the traffic of a shop until the signal. Every ten seconds an order comes with a prescription and an invoice, and a
 * command moves it.
 */
async function visitUntil(signal: AbortSignal, url: string): Promise<Visits> {
  const traffic = await openTraffic(url);
  const failures: string[] = [];
  let requests = 0;
  const request = async () => {
    requests += 1;
    const { fault } = await traffic.ask();
    if (fault) failures.push(fault);
  };
  const papers = async () => {
    const fault = await placeWithPapers(url);
    if (fault) failures.push(fault);
  };
  const loops = Array.from({ length: LOOPS }, () => repeat(request, REQUEST_EVERY_MS, signal));
  await Promise.all([...loops, repeat(papers, PAPERS_EVERY_MS, signal)]);
  return { requests, failures };
}

async function repeat(work: () => Promise<void>, everyMs: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const end = performance.now() + everyMs;
    await work();
    await pause(Math.max(0, end - performance.now()), undefined, { signal }).catch(() => undefined);
  }
}

/** Returns what failed, if anything did. */
async function placeWithPapers(url: string): Promise<string | undefined> {
  const login = { email: 'aseguradora@demo.example', password: DEMO_PASSWORD };
  const { body: tokens } = await post(url, '/api/token/', login);
  const prescriptions = [{ document: PDF, issue_date: '2026-11-01' }];
  const order = orderBody('papers@bench.example', { prescriptions }, { invoicing: INVOICING });
  const { status, body: placed } = await post(url, '/api/orders/resources/', order, tokens.access);
  if (status !== 201) return `an order with papers: ${status} ${JSON.stringify(placed)}`;
  const moved = await operate('pipe', 'orders', 'move', String(placed.id), '--to', 'in_process', '--local');
  return moved.code === 0 ? undefined : `a move: ${moved.err}`;
}

function post(url: string, path: string, body: object, token?: string): Promise<HttpAnswer> {
  const { origin, pathname: stage } = new URL(url);
  const headers = callHeaders(token === undefined ? {} : { token });
  return sendHttp(origin, `${stage}${path}`, { method: 'POST', headers, body });
}
