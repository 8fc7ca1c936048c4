import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AttributeValue, DynamoDBClient, PutItemCommand, paginateScan } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginContainer } from '../../shared/runtime/async.ts';
import { setClock } from '../../shared/runtime/clock.ts';
import { tableConfig } from '../../shared/runtime/config.ts';
import { TABLE } from '../../shared/store/keys.ts';
import { INVOICING, orderBody, PDF } from '../support/orders/samples.ts';
import { openServer, type TestServer } from '../support/servers/test-server.ts';

/*
 * Two releases serve side by side for minutes, and a new one finds the data of all before. So today's code reads, lists and changes
 * the orders of a table that a former release wrote (write-stored-table.ts), on a clock that is a minute later, since keys expire.
 */

const FILE = join(import.meta.dirname, 'stored-table.jsonl');

type StoredItem = Record<string, AttributeValue>;
type Stored = { readonly writtenAt: string; readonly ids: Record<'plain' | 'invoiced' | 'collected', number> };

let server: TestServer;
let token: string;
let stored: Stored;

beforeAll(async () => {
  if (process.env.WRITE_TABLE) {
    await writeTable();
    await server.close();
  }
  const [head = '', ...lines] = readFileSync(FILE, 'utf8').trimEnd().split('\n');
  stored = JSON.parse(head);
  await openEmpty(new Date(Date.parse(stored.writtenAt) + 60_000));
  await putItems(lines.map((line) => JSON.parse(line, fromText)));
  // Ids of this process that the table knows nothing of would be those of its records.
  beginContainer();
  await login();
});
afterAll(async () => {
  setClock();
  await server.close();
});

/** Opens a server whose client and users are those of every server, so that they are those of the stored table too. */
async function openEmpty(time: Date): Promise<void> {
  setClock(time);
  server = await openServer();
}
const login = async () => {
  token = await server.login('aseguradora@demo.example');
};

// JSON has no bytes.
const fromText = (name: string, value: unknown) =>
  name === 'B' && typeof value === 'string' ? Buffer.from(value, 'base64') : value;
const toText = (_: string, value: unknown) =>
  value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;

async function readItems(): Promise<StoredItem[]> {
  const client = new DynamoDBClient({});
  const items: StoredItem[] = [];
  for await (const page of paginateScan({ client }, { TableName: tableConfig().TABLE_NAME }))
    items.push(...(page.Items ?? []));
  client.destroy();
  return items;
}

async function putItems(items: readonly StoredItem[]): Promise<void> {
  const client = new DynamoDBClient({});
  for (const { [TABLE.timeToLive]: _, ...Item } of items) {
    await client.send(new PutItemCommand({ TableName: tableConfig().TABLE_NAME, Item }));
  }
  client.destroy();
}

const ask = (method: string, path: string, body?: object, headers = {}) =>
  server.request(method, `/api/orders${path}`, { token, headers, ...(body && { body }) });

const EMAIL = 'guardada@example.mx';
const OXXO = 4;
const BODY = orderBody(EMAIL, {
  coupon: 'PRIMERAS1000',
  prescriptions: [{ document: PDF, issue_date: '2020-02-29' }],
});
const KEY = { 'Idempotency-Key': 'orden-guardada' };

async function placed(body: object, headers = {}): Promise<number> {
  const answer = await ask('POST', '/resources/', body, headers);
  expect(answer).toMatchObject({ status: 201 });
  return answer.body.id;
}

/** Stores an order of each kind, and writes what the table then holds. */
async function writeTable(): Promise<void> {
  await openEmpty(new Date());
  await login();
  const plain = await placed(BODY, KEY);
  const invoiced = await placed(orderBody('facturada@example.mx'));
  expect((await ask('PATCH', `/${invoiced}/request-invoice/`, INVOICING)).status).toBe(200);
  const collected = await placed(orderBody('cobrada@example.mx', { payment_method: OXXO }));
  const head: Stored = { writtenAt: new Date().toISOString(), ids: { plain, invoiced, collected } };
  const lines = (await readItems()).map((item) => JSON.stringify(item, toText)).toSorted();
  writeFileSync(FILE, `${[JSON.stringify(head), ...lines].join('\n')}\n`);
}

describe('an order that a former release stored', () => {
  it('is read, also under its idempotency key', async () => {
    const { plain: id } = stored.ids;
    const again = await ask('POST', '/resources/', BODY, KEY);
    expect(again).toMatchObject({ status: 201, body: { id }, headers: { 'idempotent-replayed': 'true' } });
    expect(await ask('GET', `/${id}/`)).toMatchObject({
      status: 200,
      body: {
        order_status: 'approved',
        payment_status: 'unpaid',
        subtotal: '57.00',
        discount: '30.00',
        total: '106.00',
        coupon: { code: 'PRIMERAS1000' },
        details: [{ quantity: 2, price: '28.50' }],
        patient: { user: { email: EMAIL, first_name: 'Ana', last_name: 'Paz' } },
        prescriptions: [{ document_name: 'receta-1.pdf', is_verified: false }],
        shipping: { street: 'Calle de Durango', zipcode: '06700' },
      },
    });
  });

  it('is read with its invoice, or with its payment reference', async () => {
    const invoiced = await ask('GET', `/${stored.ids.invoiced}/`);
    expect(invoiced.body.cfdi).toMatch(/^[0-9a-f]{24}$/);
    const collected = await ask('GET', `/${stored.ids.collected}/`);
    expect(collected.body).toMatchObject({ payment_status: 'unpaid', payment_references: [{ method: 'oxxo' }] });
  });

  it('is listed and found', async () => {
    const { plain, invoiced, collected } = stored.ids;
    const listed = await ask('GET', '/?order_status__in=approved&ordering=created_at');
    expect(listed.body.results.map(({ id }: { id: number }) => id)).toEqual([plain, invoiced, collected]);
    const matches = await ask('GET', '/?search=paz&ordering=created_at&limit=1');
    expect(matches).toMatchObject({ status: 200, body: { count: 3, results: [{ id: plain, patient: 'Ana Paz' }] } });
  });

  it('is changed', async () => {
    const { plain: id } = stored.ids;
    expect((await ask('PATCH', `/${id}/`, { details: [{ product: 1, quantity: 3 }] })).status).toBe(200);
    expect(await ask('GET', `/${id}/`)).toMatchObject({
      status: 200,
      body: { subtotal: '85.50', total: '134.50', details: [{ quantity: 3 }], prescriptions: [{}] },
    });
  });

  it('lends its patient to another order', async () => {
    const placed = await ask('POST', '/resources/', orderBody(EMAIL));
    expect(placed).toMatchObject({ status: 201, body: { total: '136.00', patient: { user: { email: EMAIL } } } });
    const first = await ask('GET', `/${stored.ids.plain}/`);
    expect(placed.body.patient.user.id).toBe(first.body.patient.user.id);
  });

  it('is invoiced, and cancelled with its invoice', async () => {
    const { plain: id } = stored.ids;
    const { status, body } = await ask('PATCH', `/${id}/request-invoice/`, INVOICING);
    expect([status, body.cfdi]).toEqual([200, expect.stringMatching(/^[0-9a-f]{24}$/)]);
    expect((await ask('PATCH', `/${id}/`, { order_status: 'cancelled' })).status).toBe(200);
    expect((await ask('GET', `/${id}/`)).body).toMatchObject({ order_status: 'cancelled', cfdi: body.cfdi });
  });
});
