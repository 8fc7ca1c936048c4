import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { setClock } from '../../../shared/runtime/clock.ts';
import { forceStored, getStoredOrder } from '../orders/forced-order.ts';
import { orderBody, PDF } from '../orders/samples.ts';
import { openServer, type TestServer } from '../servers/test-server.ts';
import { operate } from './operator.ts';

/** Noon on a Monday in Mexico City. */
export const NOON = new Date('2026-11-23T18:00:00.000Z');
export const LATER = new Date('2026-11-24T15:30:00.000Z');
export const OPERATOR = userInfo().username;
export const NEEDS_PRESCRIPTION = { details: [{ product: 4, quantity: 1 }] };

export const ops = (...argv: readonly string[]) => operate('pipe', ...argv);
export const refused = (err: string) => ({ code: 1, out: '', err });

/** Expects that a command does not understand its words. */
export async function misunderstood(argv: readonly string[], complaint: string): Promise<void> {
  const { code, out, err } = await ops(...argv);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(complaint);
}

/** Returns the ids of the orders that a command lists, and whether it says that there are more. */
export async function listedIds(...argv: readonly string[]) {
  const { code, out, err } = await ops(...argv, '--json');
  expect([code, err]).toEqual([0, '']);
  const { orders, has_more: hasMore } = JSON.parse(out);
  return { ids: orders.map(({ id }: { id: number }) => id), hasMore };
}

type Placing = { order?: object; email?: string; phone?: string; name?: object; token?: string; key?: string };

/** Opens a server at noon for the tests of a file, in which an operator works on orders that are placed there. */
export function openOperatorWorld() {
  const world = {
    folder: '',
    pdf: '',
    tokens: { doctor: '', employee: '' },
    server: undefined as unknown as TestServer,
  };
  let prescriptionNumber = 0;

  beforeAll(async () => {
    setClock(NOON);
    world.server = await openServer();
    world.folder = await mkdtemp(join(tmpdir(), 'world-'));
    world.pdf = await file('Receta de Ana.pdf', Buffer.from(PDF, 'base64'));
    world.tokens = {
      doctor: await world.server.login('doctora@demo.example'),
      employee: await world.server.login('aseguradora@demo.example'),
    };
  });
  afterEach(() => setClock(NOON));
  afterAll(async () => {
    setClock();
    await rm(world.folder, { recursive: true, force: true });
    await world.server.close();
  });

  async function file(name: string, content: Uint8Array): Promise<string> {
    const path = join(world.folder, name);
    await writeFile(path, content);
    return path;
  }

  return Object.assign(world, {
    file,
    stored: getStoredOrder,
    /** Places an order as a client does; returns its id. */
    async placed({ order = {}, email = 'ana@example.mx', phone, name, token, key }: Placing = {}) {
      const { user, ...rest } = orderBody(email, order as Record<string, unknown>);
      const body = { ...rest, user: { ...user, ...name, ...(phone !== undefined && { phone }) } };
      const call = { token: token ?? (await world.server.login('aseguradora@demo.example')), body };
      const answer = await world.server.request('POST', '/api/orders/resources/', { ...call, ...(key && { key }) });
      expect(answer.status).toBe(201);
      return Number(answer.body.id);
    },
    force: forceStored,
    /** Returns a prescription whose document no other one has. */
    newPrescription() {
      prescriptionNumber += 1;
      const document = Buffer.from(`%PDF-1.4\n% ${prescriptionNumber}\n%%EOF\n`).toString('base64');
      return { document, issue_date: '2026-11-20' };
    },
    attach: (id: number, path = world.pdf, ...more: string[]) =>
      ops('orders', 'attach-prescription', String(id), '--file', path, '--issue-date', '2026-11-20', ...more),
  });
}
