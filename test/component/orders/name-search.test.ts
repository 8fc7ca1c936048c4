import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findTraces } from '../../support/hostile/personal-traces.ts';
import { operate } from '../../support/operators/operator.ts';
import { forceStored, getStoredOrder } from '../../support/orders/forced-order.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { useServer } from '../../support/servers/test-server.ts';

type Name = { readonly first_name: string; readonly last_name: string };

const server = useServer({ faults: true });
let token: string;
beforeAll(async () => {
  token = await server.login('aseguradora@demo.example');
});
afterEach(() => server.faults.set());

const send = (email: string, name: Name, order = {}) => {
  const { user, ...body } = orderBody(email, order);
  return server.request('POST', '/api/orders/resources/', { token, body: { user: { ...user, ...name }, ...body } });
};
async function place(...asked: Parameters<typeof send>): Promise<number> {
  const { status, body } = await send(...asked);
  expect(status, JSON.stringify(body)).toBe(201);
  return body.id;
}
async function search(text: string): Promise<number[]> {
  const { body } = await server.request('GET', `/api/orders/?search=${text}&ordering=created_at`, { token });
  expect(body.count).toBe(body.results.length);
  return body.results.map(({ id }: { id: number }) => id);
}

/** Writes an order as delivered and paid, so that its patient can be erased. */
const finish = (id: number) => forceStored(id, { orderStatus: 'delivered', paymentStatus: 'paid' });
const erase = (email: string) =>
  operate('pipe', 'patients', 'erase', '--client', String(server.client.id), '--email', email, '--yes', '--json');

describe('the index of names, when orders fail', () => {
  it('has nobody whose order was turned away, as the table had no throughput', async () => {
    const body = JSON.stringify({
      __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
      CancellationReasons: [{ Code: 'ThrottlingError' }],
    });
    const answer = { status: 400, type: 'application/x-amz-json-1.0', body };
    server.faults.set(({ operation }) => (operation === 'TransactWriteItems' ? { answer } : undefined));
    const sent = await send('aplazada@example.mx', { first_name: 'Aplazada', last_name: 'Siempre' });
    expect([sent.status, sent.body.code]).toEqual([503, 'unavailable']);
    expect(await findTraces(/[Aa]plazad/)).toEqual([]);
  });

  it('has the patient of an order that was stored, though nobody knew', async () => {
    server.faults.set(({ operation }) => (operation === 'TransactWriteItems' ? 'lost reply' : undefined));
    expect((await send('callada@example.mx', { first_name: 'Callada', last_name: 'Gil' })).status).toBe(503);
    server.faults.set();
    expect(await search('callada')).toHaveLength(1);
  });

  it('has one patient of several orders at once for one new e-mail', async () => {
    const name = { first_name: 'Simultanea', last_name: 'Gil' };
    const ids = await Promise.all(Array.from({ length: 8 }, () => place('simultanea@example.mx', name)));
    expect((await search('simultanea')).sort((a, b) => a - b)).toEqual(ids.sort((a, b) => a - b));
    const { patient } = await getStoredOrder(ids[0] ?? 0);
    const names = (await findTraces(/simultanea/)).filter((key) => key.startsWith('NAME#'));
    // The ends of ten letters and of three, and the record of the whole name.
    expect(names).toHaveLength(8 + 1 + 1);
    for (const key of names) expect(key).toContain(`#${patient.id}#`);
  });

  // The parts of the names are deleted first, and then the records of them.
  it.each([1, 2])(
    'loses the names of a patient when an erasure that was cut off at deletion %i is repeated',
    async (nth) => {
      const email = `cortada-${nth}@example.mx`;
      for (const first_name of ['Cortadauno', 'Cortadados']) {
        await finish(await place(email, { first_name, last_name: `Mora${nth}` }));
      }
      let deletions = 0;
      server.faults.set(({ operation }) => {
        if (operation === 'BatchWriteItem') deletions += 1;
        return operation === 'BatchWriteItem' && deletions >= nth ? 'failure' : undefined;
      });
      expect((await erase(email)).code).not.toBe(0);
      expect(deletions).toBeGreaterThanOrEqual(nth);
      server.faults.set();
      expect((await erase(email)).code).toBe(0);
      expect(await findTraces(/[Cc]ortada/)).toEqual([]);
    },
  );
});
