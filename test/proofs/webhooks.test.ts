import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { deliveryDeps, ids, table } from '../../shared/deps.ts';
import { deliverWebhooks } from '../../shared/events/webhooks/deliver-webhooks.ts';
import { createEndpoint, listEndpoints } from '../../shared/events/webhooks/endpoints.ts';
import { createSecret } from '../../shared/events/webhooks/send.ts';
import { setClock } from '../../shared/runtime/clock.ts';
import type { Table } from '../../shared/store/table.ts';
import { prove, seed, tries } from '../support/proofs/proof.ts';
import { useServer } from '../support/servers/test-server.ts';
import { addEvents, sampleEvent } from '../support/webhooks/feed.ts';
import { openReceiver, type Receiver } from '../support/webhooks/receiver.ts';

class Killed extends Error {
  override readonly name = 'Killed';
}

type Life = {
  readonly table: Table;
  /** Passes a call to the outside on, unless the worker is dead. */
  call<Answer>(work: () => Promise<Answer>): Promise<Answer>;
  readonly isOver: boolean;
};

/**
 * Gives a worker a table with which it lives for so many calls: the last one is made, but its answer never arrives, and no
 * later one is made. The worker leaves everything behind as a process that is killed at that moment.
 */
function liveFor(calls: number, table: Table): Life {
  let left = calls;
  const call = async <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
    if (left <= 0) throw new Killed('no call is made after the end');
    left -= 1;
    const answer = await work();
    if (left <= 0) throw new Killed('the answer does not arrive');
    return answer;
  };
  const limited = new Proxy(table, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...input: unknown[]) => call(async () => value.apply(target, input));
    },
  });
  return {
    table: limited,
    call,
    get isOver() {
      return left <= 0;
    },
  };
}

const server = useServer();
let receiver: Receiver;
afterEach(async () => {
  setClock();
  await receiver.close();
});

const limits = () => ({ endsAt: Date.now() + 600_000, patienceMs: 0 });
const versionsOf = (orders: number, versions: number) =>
  Array.from({ length: orders * versions }, (_, index) =>
    sampleEvent((index % orders) + 1, Math.floor(index / orders) + 1),
  );

/** Counts the events whose first arrival that was taken came before that of one that precedes it in its order. */
function countOvertaken(taken: readonly string[]): number {
  const firsts = [...new Set(taken)].map((id) => id.split('_').map(Number) as [number, number, number, number]);
  const last = new Map<number, number>();
  let overtaken = 0;
  for (const [, order, version] of firsts) {
    if (version < (last.get(order) ?? 0)) overtaken += 1;
    last.set(order, Math.max(version, last.get(order) ?? 0));
  }
  return overtaken;
}

// Retries that are due within ten minutes are sent by one run. A run for each of 1,000 orders' would take hours.
const GATHERING_MS = 600_000;

describe('webhooks', () => {
  it('reach their receiver, those of an order in its order, whatever fails and whichever workers are killed', async () => {
    const [orders, versions] = [tries(24, 500), tries(5, 10)];
    const MILLION = 1_000_000;
    const even = fc.noBias(fc.integer({ min: 1, max: MILLION }));
    const random = fc.sample(even, { seed: seed(), numRuns: 10_000 }).map((one) => one / MILLION);
    let drawn = 0;
    const draw = () => random[drawn++ % random.length] ?? 1;
    let failures = 0;
    const clientId = (await server.addClient('Webhooks')).client.id;
    receiver = await openReceiver();
    const terms = { clientId, eventTypes: null, ownerEmail: 'dev@example.mx', secret: createSecret() };
    await createEndpoint(table(), ids(), { ...terms, url: receiver.url }, new Date());
    receiver.answer((_, response) => {
      const isFailing = draw() < 0.2;
      if (isFailing) failures += 1;
      // Half of the failures are answered, the other half are connections that are closed.
      if (isFailing && failures % 2 === 0) response.destroy();
      else response.writeHead(isFailing ? 500 : 204).end();
    });
    const events = versionsOf(orders, versions);
    await addEvents(table(), clientId, events);
    let clock = Date.now();
    let kills = 0;
    for (let runs = 0; runs < 2_000; runs++) {
      setClock(new Date(clock));
      // Every second worker is killed at some call.
      const life = liveFor(runs % 2 === 0 ? Math.ceil(draw() * tries(50, 500)) : Number.POSITIVE_INFINITY, table());
      const deps = { ...deliveryDeps(), table: life.table };
      const send: typeof deps.send = (...sent) => life.call(() => deps.send(...sent));
      await deliverWebhooks({ ...deps, send }, limits()).catch(() => undefined);
      if (life.isOver) kills += 1;
      // On a busy machine the engine may be too late with its answer, and then there is another run.
      const [found] = await listEndpoints(table(), clientId).catch(() => []);
      if (!life.isOver && found?.position === events.length && found.dueAt === null) break;
      clock = Math.max(clock + 31_000, (Date.parse(found?.dueAt ?? '') || 0) + GATHERING_MS);
    }
    const taken = receiver.taken();
    const missing = events.filter(({ id }) => !taken.includes(id)).length;
    expect(kills).toBeGreaterThan(0);
    prove({
      check: 'webhooks: each event arrives, none out of order, with 20 % failures and killed workers',
      tries: events.length,
      faults: failures + kills,
      lost: missing + countOvertaken(taken),
      figure: `${taken.length - events.length} repeated by ${kills} kills`,
    });
  });
});
