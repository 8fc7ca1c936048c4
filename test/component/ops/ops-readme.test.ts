import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ids } from '../../../shared/deps.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { openCatalogBucket } from '../../support/engines/catalog-bucket.ts';
import { operate } from '../../support/operators/operator.ts';
import { forceStored } from '../../support/orders/forced-order.ts';
import { INVOICING, orderBody, PDF } from '../../support/orders/samples.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

// This is noon on a Monday in Mexico City.
const NOON = new Date('2026-11-23T18:00:00.000Z');
const readme = readFileSync(join(import.meta.dirname, '../../../infra/ops/README.md'), 'utf8');
/** Holds each command of the README with the output that it shows. */
const examples = [...readme.matchAll(/^```console\n([\s\S]*?)```$/gm)].flatMap(([, block = '']) =>
  [...block.matchAll(/^\$ npm run ops -- ((?:.*\\\n)*.*)\n([\s\S]*?)(?=^\$ |(?![\s\S]))/gm)].map(
    ([, command = '', shown = '']) => ({
      command: command.replaceAll('\\\n', ''),
      shown: shown.trimEnd().concat('\n'),
    }),
  ),
);

let server: TestServer;
let folder: string;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  setClock(NOON);
  server = await openTestServer();
  const token = await server.login('aseguradora@demo.example');
  const place = (email: string, order: Record<string, unknown>, more: Record<string, unknown> = {}) =>
    server.request('POST', '/api/orders/resources/', { token, body: orderBody(email, order, more) });
  // The next orders get the ids 42 and 43.
  await ids().take('order', 41);
  await place('ana.paz@example.mx', { details: [{ product: 4, quantity: 1 }] });
  await place('luz.mora@example.mx', { payment_method: 2 }, { invoicing: INVOICING });
  await forceStored(43, { orderStatus: 'delivered', paymentStatus: 'paid' });
  folder = await mkdtemp(join(tmpdir(), 'ops-readme-'));
  await writeFile(join(folder, 'receta.pdf'), Buffer.from(PDF, 'base64'));
  process.env.AWS_ENDPOINT_URL_API_GATEWAY = new URL('/_control', server.url).href;
  process.env.PORT = new URL(server.url).port;
  await openCatalogBucket();
  environment = { ...process.env };
});
afterEach(() => {
  Object.assign(process.env, environment);
});
afterAll(async () => {
  setClock();
  await rm(folder, { recursive: true, force: true });
  await server.close();
});

/** Splits a command as a shell does, as far as the README needs it. */
const split = (command: string): string[] =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');

/** Replaces the values that differ between two runs: ports, keys, versions, ids, times, and the place that an advice repeats. */
const unvarying = (text: string): string =>
  text
    .replace(/http:\/\/\S+/g, '<address>')
    .replace(/whsec_\S+/g, '<secret>')
    .replace(/\b[a-z0-9]{40}\b/g, '<key>')
    .replace(/^[\w-]{20}$/gm, '<password>')
    .replace(/\b[0-9a-f]{16}\b/g, '<version>')
    .replace(/(?<=API key \(|retire-key \d+ )[a-z0-9]{10}\b/g, '<key id>')
    .replace(/\b[0-9a-f]{24}\b/g, '<cfdi>')
    .replace(/\b[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}\b/g, '<uuid>')
    .replace(/(?<= size +author).*$|(?<=\d kB {2}).*$/gm, '')
    .replace(/(?<=^ {2}npm run ops .+) --local$/gm, '')
    .replace(/\d+ kB/g, '<size>')
    .replace(/(?<=IV {8})\d+$/gm, '<line>')
    .replace(/(?<= operator ).+$/gm, '<name>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');

describe('the README of the commands', () => {
  it.each(examples)('npm run ops -- $command', async ({ command, shown }) => {
    // The doctor checks the local server itself; all others use the tables and buckets of this test.
    const words = split(command).filter((word) => word !== '--local' || command.startsWith('doctor'));
    const argv = words.map((word) =>
      ['receta.pdf', 'facturas', 'pedidos.csv'].includes(word) ? join(folder, word) : word,
    );
    const { out, err } = await operate('terminal', ...argv);
    const printed = unvarying(`${out}${err}`).split('\n');
    const expected = unvarying(shown)
      .split('\n')
      .filter((line) => line !== '…');
    expect(shown.includes('…') ? printed.filter((line) => expected.includes(line)) : printed).toEqual(expected);
  });

  it('has an example of every group of commands', () => {
    expect(examples.length).toBeGreaterThan(20);
  });
});
