import { expect, it } from 'vitest';
import { refusal } from '../../support/engines/facturapi-server.ts';
import { operate } from '../../support/operators/operator.ts';
import { type InvoicingServer, useInvoicingServer } from '../../support/servers/invoicing-server.ts';

// Half past midnight of the first in Mexico City, which is still the month before in Tijuana.
const NIGHT = new Date('2026-12-01T06:30:00.000Z');
const TIJUANA = { zipcode: '22000', is_sat_branch: true };

let server: InvoicingServer;
useInvoicingServer(NIGHT, (opened) => {
  server = opened;
});

let orders = 0;
async function invoiced(order: object = {}): Promise<number> {
  const { status, body } = await server.place({ order, invoicing: { email: `stamp-${++orders}@example.mx` } });
  expect(status).toBe(201);
  return body.id;
}

/** Places an order whose invoice is issued by a job, after it was moved to a branch in Tijuana. */
async function invoicedInTijuana(): Promise<number> {
  server.facturapi.script(({ method }) => (method === 'POST' ? refusal(500, 'invoice_stamping_failed') : undefined));
  const id = await invoiced({ shipping: undefined, store: 3 });
  server.facturapi.script();
  const { store } = await server.stored(id);
  if (!store) throw new Error('an order of a store has it');
  await server.force(id, { store: { ...store, ...TIJUANA } });
  return id;
}

async function rowsOf(month: string, id: number): Promise<{ stamped_on: string }[]> {
  const { out } = await operate('pipe', 'accounting', 'export', '--month', month, '--json');
  return JSON.parse(out).rows.filter(({ order }: { order: number }) => order === id);
}

it('a stamp without an offset has the time of the issuer, Mexico City', async () => {
  server.facturapi.stampDate = '2026-12-01T00:30:00';
  const id = await invoiced();
  expect((await server.stored(id)).invoice).toMatchObject({
    ...{ stamp: { at: '2026-12-01T06:30:00.000Z' }, payBy: '2027-01-01T06:00:00.000Z' },
  });
  expect(await rowsOf('2026-11', id)).toEqual([]);
  expect(await rowsOf('2026-12', id)).toMatchObject([{ stamped_on: '2026-12-01' }]);
});

it('the documents of a branch in Tijuana are dated there, and belong to its month', async () => {
  const id = await invoicedInTijuana();
  server.facturapi.stampDate = '2026-11-30T22:32:00';
  await server.runAfter(2);
  expect((await server.stored(id)).invoice).toMatchObject({
    ...{ stamp: { at: '2026-12-01T06:32:00.000Z' }, payBy: '2026-12-01T08:00:00.000Z' },
  });
  expect(await rowsOf('2026-12', id)).toEqual([]);
  expect(await rowsOf('2026-11', id)).toMatchObject([{ stamped_on: '2026-11-30' }]);
});
