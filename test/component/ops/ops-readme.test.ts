import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ids } from '../../../shared/deps.ts';
import { openCatalogBucket } from '../../support/engines/catalog-bucket.ts';
import { NEEDS_PRESCRIPTION, openDesk } from '../../support/operators/desk.ts';
import { operate } from '../../support/operators/operator.ts';
import { INVOICING, orderBody, PDF } from '../../support/orders/samples.ts';

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

const desk = openDesk();
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  const token = desk.tokens.employee;
  const place = (email: string, order: Record<string, unknown>, more: Record<string, unknown> = {}) =>
    desk.server.request('POST', '/api/orders/resources/', { token, body: orderBody(email, order, more) });
  // The next orders get the ids 42 and 43.
  await ids().take('order', 41);
  await place('ana.paz@example.mx', NEEDS_PRESCRIPTION);
  await place('luz.mora@example.mx', { payment_method: 2 }, { invoicing: INVOICING });
  await desk.force(43, { orderStatus: 'delivered', paymentStatus: 'paid' });
  await desk.file('receta.pdf', Buffer.from(PDF, 'base64'));
  process.env.API_KEYS_FILE = desk.server.keys.file;
  process.env.PORT = new URL(desk.server.url).port;
  await openCatalogBucket();
  environment = { ...process.env };
});
afterEach(() => {
  Object.assign(process.env, environment);
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
    .replace(/(?<=API key \(|--retire )[a-z0-9]{10}\b/g, '<key id>')
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
    const files = ['receta.pdf', 'facturas', 'pedidos.csv'];
    const argv = words.map((word) => (files.includes(word) ? join(desk.folder, word) : word));
    const { out, err } = await operate('terminal', ...argv);
    const printed = unvarying(`${out}${err}`).split('\n');
    const expected = unvarying(shown)
      .split('\n')
      .filter((line) => line !== '…' && (line !== '' || !shown.includes('…')));
    expect(shown.includes('…') ? printed.filter((line) => expected.includes(line)) : printed).toEqual(expected);
  });

  it('has an example of every group of commands', () => {
    expect(examples.length).toBeGreaterThan(20);
  });
});
