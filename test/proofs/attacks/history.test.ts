import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openStream } from '../../../infra/local/table-stream.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { publishEvents } from '../../support/events/table-stream.ts';
import { manyAtOnce } from '../../support/load/many-at-once.ts';
import { operate } from '../../support/operators/operator.ts';
import { getStoredEvents, getStoredOrder } from '../../support/orders/forced-order.ts';
import { HistoryWorld } from '../../support/orders/history-world.ts';
import { orderBody, PDF } from '../../support/orders/samples.ts';
import { prove, tries } from '../../support/proofs/proof.ts';
import { openServer, type TestServer } from '../../support/servers/test-server.ts';

/*
 * Users, operators and jobs act on orders at random. What each action did is expected from its own answer: which events, by
 * whom, at which time and version. In the end the history of every order must be exactly that.
 */

const WORLDS = tries(1, 30);
const STEPS = 35;

let server: TestServer;
let folder: string;
let documentPath: string;
beforeAll(async () => {
  server = await openServer({ table: 'streamed' });
  folder = await mkdtemp(join(tmpdir(), 'history-'));
  documentPath = join(folder, 'receta.pdf');
  await writeFile(documentPath, Buffer.from(PDF, 'base64'));
});
afterEach(() => {
  setClock();
  vi.unstubAllEnvs();
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await server.close();
});

describe('the history of orders', () => {
  it('tells every change by users, operators and jobs with who made it, and nothing that was refused', async () => {
    const lost = { differing: 0, answered: 0, personal: 0 };
    const told = { events: 0, faults: 0, personal: 0 };
    const stream = openStream();
    let events = 0;
    for (let number = 0; number < WORLDS; number++) {
      const world = await HistoryWorld.open({ server, documentPath }, number);
      for (let step = 0; step < STEPS; step++) {
        await world.step();
        // A stream gives the records of several steps at once, and of some of them twice.
        if (step % 5 === 4) await publishEvents(step % 10 === 9 ? stream : openStream());
      }
      lost.personal += await world.erase();
      await publishEvents(stream);
      told.events += (await world.readFeed()).length;
      told.faults += await world.feedFaults();
      told.personal += await world.personalInFeed();
      lost.differing += await world.differences();
      lost.answered += world.answers.filter((text) => /history|arn:aws|"what"/.test(text)).length;
      events += world.orders.reduce((sum, order) => sum + order.events.length, 0);
    }
    const check = 'attack 13: a change that nobody answers for; a history shown to users or naming an erased patient';
    prove({
      check,
      tries: WORLDS * STEPS,
      lost: lost.differing + lost.answered + lost.personal,
      figure: `${events} events`,
    });
    expect(told.events).toBeGreaterThan(0);
    prove({
      check: 'attack 13: events lost, told twice, out of order or personal',
      tries: told.events,
      lost: told.faults + told.personal,
    });
  });

  it('tells each of many concurrent changes once, under the version that it made', async () => {
    const token = await server.login('aseguradora@demo.example');
    const count = tries(12, 200);
    const { body: placed } = await server.request('POST', '/api/orders/resources/', {
      token,
      body: orderBody('ana@historia.example'),
    });
    const answers = await manyAtOnce(count, 6, async (index) => {
      const details = [{ product: 1, quantity: 1 + (index % 3) }];
      if (index % 3 > 0) return server.invoke('PATCH', `/api/orders/${placed.id}/`, { token, body: { details } });
      const to = index % 2 === 0 ? 'quoted' : 'approved';
      return {
        status: (await operate('pipe', 'orders', 'move', String(placed.id), '--to', to)).code === 0 ? 200 : 409,
      };
    });
    const done = answers.filter(({ status }) => status === 200).length;
    const { version } = await getStoredOrder(placed.id);
    const history = await getStoredEvents(placed.id);
    const versions = history.map((event) => event.version);
    const isExact = history.length === 1 + done && version === 1 + done && new Set(versions).size === versions.length;
    expect(done).toBeGreaterThan(1);
    prove({ check: 'attack 13: changes of one order at once', tries: count, lost: isExact ? 0 : 1 });
  });
});
