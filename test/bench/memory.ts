import { execFileSync } from 'node:child_process';
import { DEMO_PASSWORD } from '../../infra/local/seed.ts';
import { callHeaders, sendHttp } from '../support/http/http.ts';
import { orderBody } from '../support/orders/samples.ts';
import type { Figure } from './figures.ts';
import { NPM_START, startServer } from './processes.ts';

const ORDERS = 600;
const BAR_MB = 280;

/** Measures the resident memory of all processes of `npm start`: when it is ready, and after orders of 5 lines. */
export async function benchMemory(): Promise<Figure[]> {
  const server = await startServer(NPM_START);
  try {
    const ready = measureMegabytes(server.pid);
    await placeOrders(server.url);
    const what = `memory of npm start: when ready; after ${ORDERS} orders`;
    return [{ what, value: [ready, measureMegabytes(server.pid)], unit: 'MB', bar: BAR_MB }];
  } finally {
    await server.stop();
  }
}

/** Places orders of 5 lines one after the other, each of a new patient. */
async function placeOrders(url: string): Promise<void> {
  const send = async (path: string, body: object, token?: string) => {
    const headers = callHeaders(token === undefined ? {} : { token });
    const answer = await sendHttp(url, `/v2${path}`, { method: 'POST', headers, body });
    if (answer.status >= 300) throw new Error(`${path} was answered ${answer.status}`);
    return answer.body;
  };
  const { access } = await send('/api/token/', { email: 'aseguradora@demo.example', password: DEMO_PASSWORD });
  const details = [1, 2, 3, 5, 7].map((product) => ({ product, quantity: 2 }));
  for (let nth = 0; nth < ORDERS; nth++)
    await send('/api/orders/resources/', orderBody(`patient-${nth}@bench.example`, { details }), access);
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
