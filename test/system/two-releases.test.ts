import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { type Handler, loadHandler } from '../../infra/local/gateway/invocation.ts';
import type { Route } from '../../shared/api/routes.ts';
import { callHeaders } from '../support/http/call.ts';
import { type HttpAnswer, sendHttp } from '../support/http/http.ts';
import { INVOICING, orderBody, PDF } from '../support/orders/samples.ts';
import { type FunctionProcess, startFunction } from '../support/servers/function-process.ts';
import { openTestServer, type TestServer } from '../support/servers/test-server.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** Returns the last tag before the commit of the working tree; undefined as long as there is none. */
function findFormerRelease(folder = ROOT): string | undefined {
  const git = (...words: string[]): string =>
    execFileSync('git', words, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  try {
    // A commit that has a tag is the next release itself, so the search begins before it.
    return git('describe', '--tags', '--abbrev=0', 'HEAD^').trim();
  } catch {
    return undefined;
  }
}

const DISPATCHER = `
  export async function handler({ file, event }, context) {
    const { handler } = await import(new URL(file, new URL('./source/', import.meta.url)));
    return handler(event, context);
  }
`;

/**
 * Starts all handlers of a release in one process, from its sources and with the packages of today. Its events are
 * `{ file, event }`, with the handler's path from the project root.
 */
async function startFormerRelease(
  release: string,
  { environment, folder }: { readonly environment: Record<string, string>; readonly folder: string },
): Promise<FunctionProcess> {
  const source = join(folder, 'source');
  await mkdir(source);
  await run('git', ['archive', '--format=tar', `--output=${folder}/source.tar`, release], { cwd: ROOT });
  await run('tar', ['-xf', `${folder}/source.tar`, '-C', source]);
  await symlink(join(ROOT, 'node_modules'), join(source, 'node_modules'));
  const file = join(folder, 'dispatcher.mjs');
  await writeFile(file, DISPATCHER);
  return startFunction({ file }, { environment, folder });
}

/*
 * Two releases serve side by side for minutes, and a rollback brings the former one back to the data of this one. So each
 * reads, lists and changes here what the other one stored. The former release is the tag before this commit; before the second
 * tag there is nothing to compare.
 */

const FORMER = findFormerRelease();

type Release = 'former' | 'present';

let server: TestServer;
let folder: string;
let token: string;
let former: FunctionProcess;
/** The release that answers the next requests. */
let serving: Release = 'present';

async function openBoth(release: string): Promise<void> {
  // The answers of the former release keep its own contract, not today's.
  server = await openTestServer({ gateway: { loadHandler: loadEither, contractChecks: 'off' } });
  token = await server.login('aseguradora@demo.example');
  folder = await mkdtemp(join(tmpdir(), 'former-'));
  const own = ['TABLE_NAME', 'DOCUMENTS_BUCKET'].map((name) => [name, process.env[name] ?? '']);
  const environment = {
    ...inject('serverEnvironment'),
    ...Object.fromEntries(own),
    CATALOG_DIR: join(folder, 'tmp'),
    TZ: ':UTC',
  };
  former = await startFormerRelease(release, { environment, folder });
}
beforeAll(() => (FORMER ? openBoth(FORMER) : undefined));
afterAll(async () => {
  await former?.stop();
  await server?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

async function loadEither(file: Route['handler']): Promise<Handler> {
  const present = await loadHandler(file);
  return async (event, context) =>
    serving === 'former' ? former.call({ file, event }, context) : present(event, context);
}

async function ask(release: Release, method: string, path: string, body?: object, headers = {}): Promise<HttpAnswer> {
  serving = release;
  const all = callHeaders({ token, headers });
  return sendHttp(server.url, `/v2/api/orders${path}`, { method, headers: all, ...(body && { body }) });
}

const PRESCRIPTION = { document: PDF, issue_date: '2020-02-29' };

const BOTH_WAYS: [Release, Release][] = [
  ['present', 'former'],
  ['former', 'present'],
];

describe.each(FORMER ? BOTH_WAYS : [])(
  `what the %s release stores, the %s one (former: ${FORMER})`,
  (writer, reader) => {
    const email = `${writer}@example.mx`;
    let id: number;

    it('reads, also under its idempotency key', async () => {
      const body = orderBody(email, { coupon: 'PRIMERAS1000', prescriptions: [PRESCRIPTION] });
      const key = { 'Idempotency-Key': `una-vez-${writer}` };
      const placed = await ask(writer, 'POST', '/resources/', body, key);
      expect(placed).toMatchObject({ status: 201, body: { subtotal: '57.00', discount: '30.00', total: '106.00' } });
      id = placed.body.id;
      const again = await ask(reader, 'POST', '/resources/', body, key);
      expect(again).toMatchObject({ status: 201, body: { id }, headers: { 'idempotent-replayed': 'true' } });
      expect(await ask(reader, 'GET', `/${id}/`)).toMatchObject({
        status: 200,
        body: {
          order_status: 'approved',
          payment_status: 'unpaid',
          total: '106.00',
          coupon: { code: 'PRIMERAS1000' },
          details: [{ quantity: 2, price: '28.50' }],
          patient: { user: { email, first_name: 'Ana', last_name: 'Paz' } },
          prescriptions: [{ document_name: 'receta-1.pdf', is_verified: false }],
          shipping: { street: 'Calle de Durango', zipcode: '06700' },
        },
      });
    });

    it('lists and finds', async () => {
      const listed = await ask(reader, 'GET', '/?order_status__in=approved&limit=1');
      expect(listed).toMatchObject({ status: 200, body: { results: [{ id, total: '106.00' }] } });
      const found = await ask(reader, 'GET', '/?search=paz&limit=1');
      expect(found).toMatchObject({ status: 200, body: { results: [{ id, patient: 'Ana Paz' }] } });
    });

    it('changes, so that the other one reads it again', async () => {
      const details = [{ product: 1, quantity: 3 }];
      expect((await ask(reader, 'PATCH', `/${id}/`, { details })).status).toBe(200);
      expect(await ask(writer, 'GET', `/${id}/`)).toMatchObject({
        status: 200,
        body: { subtotal: '85.50', total: '134.50', details: [{ quantity: 3 }], prescriptions: [{}] },
      });
    });

    it('places another order for its patient', async () => {
      const placed = await ask(reader, 'POST', '/resources/', orderBody(email));
      expect(placed).toMatchObject({ status: 201, body: { total: '136.00', patient: { user: { email } } } });
      const first = (await ask(writer, 'GET', `/${id}/`)).body;
      expect(placed.body.patient.user.id).toBe(first.patient.user.id);
    });

    it('invoices, and cancels the invoice of the other one with the order', async () => {
      const invoiced = await ask(reader, 'PATCH', `/${id}/request-invoice/`, INVOICING);
      expect(invoiced.status).toBe(200);
      const { cfdi } = invoiced.body;
      expect(cfdi).toMatch(/^[0-9a-f]{24}$/);
      expect(await ask(writer, 'GET', `/${id}/`)).toMatchObject({ status: 200, body: { cfdi } });
      expect((await ask(writer, 'PATCH', `/${id}/`, { order_status: 'cancelled' })).status).toBe(200);
      expect((await ask(reader, 'GET', `/${id}/`)).body).toMatchObject({ order_status: 'cancelled', cfdi });
    });
  },
);

it('the former release is none, then the tag before the commit that is looked at, whether that has a tag itself or not', () => {
  const repository = mkdtempSync(join(tmpdir(), 'former-release-'));
  onTestFinished(() => rmSync(repository, { recursive: true }));
  const git = (...words: string[]): string => execFileSync('git', words, { cwd: repository, encoding: 'utf8' }).trim();
  const commit = (subject: string) =>
    git('-c', 'user.name=a', '-c', 'user.email=a@a.example', 'commit', '-q', '--allow-empty', '-m', subject);
  git('init', '-q');
  commit('one');
  expect(findFormerRelease(repository)).toBeUndefined();
  git('tag', 'v1');
  commit('two');
  expect(findFormerRelease(repository)).toBe('v1');
  git('tag', 'v2');
  expect(findFormerRelease(repository)).toBe('v1');
  commit('three');
  expect(findFormerRelease(repository)).toBe('v2');
});
