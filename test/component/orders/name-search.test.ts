import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ids } from '../../../shared/deps.ts';
import { createUser } from '../../../shared/people/users.ts';
import { openTable } from '../../../shared/store/table.ts';
import { operate } from '../../support/operators/operator.ts';
import { forceStored, getStoredOrder } from '../../support/orders/forced-order.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { useServer } from '../../support/servers/test-server.ts';

type Name = { readonly first_name: string; readonly last_name: string; readonly second_last_name?: string };
type Reader = 'employee' | 'doctor' | 'other doctor';

const PERSON = {
  role: 'patient',
  email: 'aplazado@example.mx',
  firstName: 'Aplazado',
  lastName: 'Siempre',
  secondLastName: null,
  phone: '',
  passwordHash: null,
} as const;

const server = useServer({ faults: true });
let tokens: Record<Reader, string>;
beforeAll(async () => {
  await server.addUser(server.client, 'doctor', 'otra.doctora@demo.example');
  tokens = {
    employee: await server.login('aseguradora@demo.example'),
    doctor: await server.login('doctora@demo.example'),
    'other doctor': await server.login('otra.doctora@demo.example'),
  };
});
afterEach(() => server.faults.set());

const send = (email: string, name: Name, { by = 'employee', order = {} }: { by?: Reader; order?: object } = {}) => {
  const { user, ...body } = orderBody(email, { ...order });
  return server.request('POST', '/api/orders/resources/', {
    token: tokens[by],
    body: { user: { ...user, ...name }, ...body },
  });
};
async function place(...asked: Parameters<typeof send>): Promise<number> {
  const { status, body } = await send(...asked);
  expect(status, JSON.stringify(body)).toBe(201);
  return body.id;
}
async function search(text: string, by: Reader = 'employee'): Promise<number[]> {
  const query = new URLSearchParams({ search: text, ordering: 'created_at', limit: '100' });
  const { status, body } = await server.request('GET', `/api/orders/?${query}`, { token: tokens[by] });
  expect(status).toBe(200);
  expect(body.count).toBe(body.results.length);
  return body.results.map(({ id }: { id: number }) => id);
}

/** Returns the keys of all items of the table that hold this text anywhere. */
async function itemsWith(text: RegExp): Promise<string[]> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient());
  const found: string[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName: process.env.TABLE_NAME })) {
    for (const item of Items) if (text.test(JSON.stringify(item))) found.push(`${item.pk} ${item.sk}`);
  }
  client.destroy();
  return found;
}

/** Writes an order as delivered and paid, so that its patient can be erased. */
const finish = (id: number) => forceStored(id, { orderStatus: 'delivered', paymentStatus: 'paid' });
const erase = (email: string) =>
  operate('pipe', 'patients', 'erase', '--client', String(server.client.id), '--email', email, '--yes', '--json');

describe('a search for a patient', () => {
  it('finds only the orders that a doctor placed, under the name that they sent', async () => {
    const name = { first_name: 'Zenaida', last_name: 'Cruz' };
    const of = await place('zenaida@example.mx', name);
    const own = await place('zenaida@example.mx', { ...name, last_name: 'Otra' }, { by: 'doctor' });
    expect(await search('zenaida')).toEqual([of, own]);
    expect(await search('zenaida cruz')).toEqual([of]);
    expect(await search('zenaida otra')).toEqual([own]);
    expect(await search('zenaida cruz', 'doctor')).toEqual([]);
    expect(await search('zenaida otra', 'doctor')).toEqual([own]);
    expect(await search('zenaida', 'other doctor')).toEqual([]);
  });
});

describe('the index of names', () => {
  it('has nobody whose order was refused', async () => {
    const name = { first_name: 'Rechazada', last_name: 'Siempre' };
    expect((await send('aseguradora@demo.example', name)).status).toBe(400);
    expect((await send('rechazada@example.mx', name, { order: { details: [] } })).status).toBe(400);
    expect(await itemsWith(/rechazada/i)).toEqual([]);
  });

  it('has nobody whose order or record was turned away, as the table had no throughput', async () => {
    const body = JSON.stringify({
      __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
      CancellationReasons: [{ Code: 'ThrottlingError' }],
    });
    const answer = { status: 400, type: 'application/x-amz-json-1.0', body };
    server.faults.set(({ operation }) => (operation === 'TransactWriteItems' ? { answer } : undefined));
    const registering = createUser(openTable(), ids(), { ...PERSON, clientId: server.client.id }, new Date());
    const [sent] = await Promise.all([
      send('aplazada@example.mx', { first_name: 'Aplazada', last_name: 'Siempre' }),
      expect(registering).rejects.toMatchObject({ code: 'unavailable' }),
    ]);
    expect([sent.status, sent.body.code]).toEqual([503, 'unavailable']);
    expect(await itemsWith(/aplazad/i)).toEqual([]);
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
    const names = (await itemsWith(/simultanea/)).filter((key) => key.startsWith('NAME#'));
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
      expect(await itemsWith(/cortada/i)).toEqual([]);
    },
  );
});
