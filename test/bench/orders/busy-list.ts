import { join } from 'node:path';
import { table } from '../../../shared/deps.ts';
import { startScript } from '../../support/servers/server-process.ts';
import { type Figure, percentile } from '../figures.ts';
import { type Bench, findOrCreateClient, type List, openList } from './bench.ts';

const WRITER = join(import.meta.dirname, 'write-orders.ts');
const KEY = 'bench-busy';
const ORDERS_A_SECOND = 50;
const MOST_CALLS = 300;
const NO_ITEM = { pk: 'ORDER#0', sk: 'CLIENT#0' };
const LONGEST_MS = 20_000;

/** Measures the first page of a client while orders are written to it, against the same while nothing is written. */
export async function benchBusyList(bench: Bench): Promise<Figure[]> {
  const { id } = await findOrCreateClient(bench.keys, KEY);
  const list = await openList(bench, id, KEY);
  const page = async () => {
    const { status } = await list('');
    if (status !== 200) throw new Error(`the first page answered ${status}`);
  };
  const read = () => table().get(NO_ITEM);
  await (await startWriter(bench, id)).stop();
  await timeP95(page);
  const [quiet, quietRead] = [await timeP95(page), await timeP95(read)];
  const writer = await startWriter(bench, id);
  const before = await countOrders(list);
  const start = performance.now();
  const [busy, busyRead] = [await timeP95(page), await timeP95(read)];
  const seconds = (performance.now() - start) / 1_000;
  const written = ((await countOrders(list)) - before) / seconds;
  await writer.stop();
  const what = 'page 1 of a client, p95';
  return [
    { what: `${what}, quiet`, value: quiet, unit: 'ms' },
    { what: `${what}, while orders are written to it`, value: busy, unit: 'ms' },
    { what: 'orders written meanwhile', value: written, unit: '/s' },
    { what: `${what}, against the quiet one`, value: busy / quiet, unit: '×', bar: 2 },
    { what: 'one read of an item by the engine, p95, against the quiet one', value: busyRead / quietRead, unit: '×' },
  ];
}

const startWriter = ({ engine }: Bench, client: number) =>
  startScript(WRITER, [String(client), String(ORDERS_A_SECOND)], { ...process.env, AWS_ENDPOINT_URL_DYNAMODB: engine });

const countOrders = async (list: List): Promise<number> => (await list('')).body.count;

async function timeP95(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  const end = performance.now() + LONGEST_MS;
  while (times.length < MOST_CALLS && performance.now() < end) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return percentile(times, 0.95);
}
