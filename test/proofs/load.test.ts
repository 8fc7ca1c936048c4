import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OrderListItem } from '../../shared/api/orders/order-list.ts';
import { percentile } from '../bench/figures.ts';
import { openTraffic, type Sample, type Traffic } from '../support/load/load-traffic.ts';
import { isFull, prove, tries } from '../support/proofs/proof.ts';
import { type ServerProcess, startServerProcess } from '../support/servers/server-process.ts';

const OPS = join(import.meta.dirname, '../../infra/ops/cli.ts');
const CONNECTIONS = [1, 16, 64];
const STAGE_SECONDS = tries(0.8, 60);
// The local database starts slowly, and memory use depends on the number of concurrent requests.
const WARM_UP = { connections: 4, seconds: tries(1, 15) };
const MOST = { connections: 64, seconds: 30 };
const STARTING_MS = 300_000;
const MEMORY_BAR = { times: 1.25, plusMb: 50 };

let server: ServerProcess;
let traffic: Traffic;
const faults: string[] = [];
const memoryMb: number[] = [];
beforeAll(async () => {
  server = await startServerProcess();
  traffic = await openTraffic(server.url);
  await ask(WARM_UP);
  if (isFull()) await ask(MOST);
}, STARTING_MS);
afterAll(() => server?.stop());

async function ask({ connections, seconds }: typeof WARM_UP) {
  const stage = await traffic.run(connections, seconds);
  faults.push(...findWrongAnswersIn(stage.samples));
  memoryMb.push(residentMb(server.pid));
  return stage;
}

const findWrongAnswersIn = (samples: readonly Sample[]): string[] => samples.flatMap(({ fault }) => fault ?? []);

function proveAnswers(check: string, samples: readonly Sample[], seconds: number): void {
  prove({ check, tries: samples.length, lost: findWrongAnswersIn(samples).length, figure: figureOf(samples, seconds) });
}

function proveMemory(): void {
  const [, warm = Number.NaN] = memoryMb;
  const last = memoryMb.at(-1) ?? Number.NaN;
  const lost = last <= warm * MEMORY_BAR.times + MEMORY_BAR.plusMb ? 0 : 1;
  const figure = `${memoryMb.slice(1).join(', ')} MB`;
  prove({ check: 'Load: memory when warm and after each stage', tries: memoryMb.length - 1, lost, figure });
}

describe('the local server under mixed traffic', () => {
  it.each(CONNECTIONS)('answers every request correctly with %i connections', async (connections) => {
    const { samples, seconds } = await ask({ connections, seconds: STAGE_SECONDS });
    expect(faults).toEqual([]);
    proveAnswers(`Load: ${connections} at once`, samples, seconds);
    if (!isFull()) return;
    for (const [name, ofKind] of Map.groupBy(samples, (sample) => sample.name)) {
      proveAnswers(`Load: ${connections} at once, ${name}`, ofKind, seconds);
    }
  });

  // In a quick run the memory is still growing, so only a full run checks it.
  if (isFull()) it('needs no more memory at the end than when it was warm', proveMemory);

  it('stores every placed order once, as in its last answer', async () => {
    const { orders, doubled } = traffic.ledger;
    const rows = Map.groupBy(await allRows(), ({ id }) => id);
    const wrong = [...orders].filter(([id, { total, order_status }]) => {
      const [row, ...others] = rows.get(id) ?? [];
      return others.length > 0 || row?.total !== total || row.order_status !== order_status;
    });
    const unasked = [...rows.keys()].filter((id) => !orders.has(id));
    const lost = wrong.length + unasked.length + doubled.size;
    prove({ check: 'Load: orders stored as last answered', tries: orders.size, lost });
  });

  it('counts and lists the orders as they are stored', async () => {
    const command = [OPS, 'orders', 'rebuild', '--client', String(traffic.client), '--dry-run', '--local', '--json'];
    const { stdout } = await promisify(execFile)(process.execPath, command, { env: server.env });
    expect(JSON.parse(stdout)).toMatchObject({ lists: [], counters: [], names: [], delays: [] });
    const lost = Math.abs(JSON.parse(stdout).orders - traffic.ledger.orders.size);
    prove({ check: 'Load: orders counted', tries: traffic.ledger.orders.size, lost });
  });
});

async function allRows(): Promise<OrderListItem[]> {
  const rows: OrderListItem[] = [];
  for (let page = 1; ; page++) {
    const { body } = await traffic.listed(page);
    rows.push(...body.results);
    if (body.next === null) return rows;
  }
}

type Times = 'ms' | 'serverMs' | 'functionMs' | 'databaseMs';

/**
 * Formats the measurements of a stage: `81/s, p50 82 ms, p95 807 ms, p99 1726 ms, waiting 31 %, database 72 %`.
 * `waiting` is the share of the server time in which requests waited for a free function. `database` is the duration of
 * all database calls as a share of the function time; it exceeds 100 % when calls run in parallel.
 */
function figureOf(samples: readonly Sample[], seconds: number): string {
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
function residentMb(pid: number): number {
  // Some Linux systems have no `ps`, and macOS has no /proc.
  const kilobytes =
    process.platform === 'linux'
      ? /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
      : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return Math.round(Number(kilobytes) / 1_024);
}
