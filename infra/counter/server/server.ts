import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { basename, extname, join } from 'node:path';
import { Readable } from 'node:stream';
import { build } from 'esbuild';
import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify';
import * as z from 'zod';
import { date, requiredText } from '../../../shared/api/fields.ts';
import { Refusal } from '../../../shared/domain/refusal.ts';
import { toValidationErrors } from '../../../shared/http/errors.ts';
import { HARDENING_HEADERS } from '../../../shared/http/headers.ts';
import { existingOrder } from '../../../shared/order/operate-order.ts';
import { attachPrescription } from '../../../shared/prescriptions/add-prescriptions.ts';
import { MAX_DOCUMENT_BYTES } from '../../../shared/prescriptions/rules/document.ts';
import { isThreat } from '../../../shared/prescriptions/rules/prescription.ts';
import { business } from '../../../shared/runtime/config.ts';
import { openTable } from '../../../shared/store/table.ts';
import type { Command } from '../../ops/command.ts';
import { type Call, createContext, openDocuments } from '../../ops/context.ts';
import { toChangedResult } from '../../ops/orders/show.ts';
import { renewCredentials } from '../../ops/target.ts';
import { COUNTER_COMMANDS, type CommandName, type FormFields, isAct, listFormFields } from './counter-commands.ts';
import { answerError, CounterRefusal } from './error-answer.ts';
import { forgetQueue } from './orders-queue.ts';

export type Session = {
  readonly place: string;
  readonly operator: string;
  readonly timeZone: string;
  readonly forms: FormFields;
};

type CounterOptions = Pick<Session, 'place' | 'operator'> & { readonly port: number; readonly isLocal: boolean };

export type Counter = Awaited<ReturnType<typeof openCounter>>;

const HOST = '127.0.0.1';
const TOKEN_BYTES = 32;

/** Opens the counter on loopback, and returns its address for a browser, with the token. Rejects if the port is taken. */
export async function openCounter({ port, operator, place, isLocal }: CounterOptions) {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  // Browsers keep connections open; closing must not wait for them.
  const server = fastify({ forceCloseConnections: true });
  guardAccess(server, token);
  // The counter runs longer than a role's credentials, which end after an hour.
  server.addHook('preHandler', async () => renewCredentials());
  server.setErrorHandler(answerError);
  server.setNotFoundHandler((request, reply) => answerError(new Refusal('not_found'), request, reply));
  await serveFiles(server);
  const session: Session = { place, operator, timeZone: business().timeZone, forms: listFormFields() };
  server.get('/session', async () => session);
  const silent = { write: () => true };
  const io = { stdout: silent, stderr: silent, stdin: Readable.from([]), isTerminal: false };
  const call: Call = { ...io, isJson: true, isLocal, operator: async () => operator };
  serveCommands(server, call);
  serveDocuments(server, call);
  await server.listen({ host: HOST, port });
  const address = server.server.address() as AddressInfo;
  return { address: `http://${HOST}:${address.port}/#${token}`, token, close: () => server.close() };
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For the files of the page, which hold no data and which a browser asks for without the token; a frame has no origin. */
    file?: 'page' | 'frame';
  }
}

/**
 * Lets through only what the page of this counter asks for. The `Host` keeps out pages whose name was pointed at this
 * machine (DNS rebinding), the `Origin` all other pages, and the token all other programs.
 */
function guardAccess(server: FastifyInstance, token: string): void {
  const expected = digest(`Bearer ${token}`);
  server.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...HARDENING_HEADERS, 'Cross-Origin-Opener-Policy': 'same-origin', 'Cache-Control': 'no-store' });
    refuseForeign(request, server.server.address() as AddressInfo);
    if (request.routeOptions.config.file) return;
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) throw new CounterRefusal('no_token');
  });
}

// Digests have one length, so that the comparison takes constant time.
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

function refuseForeign({ headers, routeOptions }: FastifyRequest, { port }: AddressInfo): void {
  const { host = '', origin } = headers;
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) throw new CounterRefusal('foreign_host');
  if (origin === 'null' && routeOptions.config.file === 'frame') return;
  if (origin !== undefined && origin !== `http://${host}`) throw new CounterRefusal('foreign_origin');
}

const OURS_ALONE = "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'";
const UNEVALUATED = "require-trusted-types-for 'script'; trusted-types 'none'";

/** Allows our script and style, nothing inline, foreign or evaluated, and what the given directives add. */
const makePolicy = (more: string) => ({ 'Content-Security-Policy': `${OURS_ALONE}; ${UNEVALUATED}; ${more}` });

/**
 * A document is drawn in a frame with an opaque origin and no network: a script that a document has taken over can neither fetch nor
 * send anything. The frame loads its script and style cross-origin.
 */
const HEADERS = {
  page: makePolicy("img-src 'self'; connect-src 'self'; frame-src 'self'; frame-ancestors 'none'"),
  frame: {
    ...makePolicy("connect-src 'none'; frame-ancestors 'self'; sandbox allow-scripts"),
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'X-Frame-Options': 'SAMEORIGIN',
  },
};

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const PAGE = join(import.meta.dirname, '../page');

async function serveFiles(server: FastifyInstance): Promise<void> {
  const files = await Promise.all([
    readPage('', 'index.html'),
    readPage('viewer.html', 'viewer/frame.html'),
    readPage('icon.svg', '../../docs/icon.svg'),
    bundle('counter', 'shell.tsx', { minify: true }),
    // Most of it is minified already, and doing so again takes seconds.
    bundle('viewer', 'viewer/frame.ts', { minify: false }),
  ]);
  for (const { name, body } of files.flat()) {
    const file = name.startsWith('viewer.') ? 'frame' : 'page';
    const headers = { ...HEADERS[file], 'Content-Type': TYPES[extname(name) || '.html'] };
    server.get(`/${name}`, { config: { file } }, async (_, reply) => reply.headers(headers).send(body));
  }
}

const readPage = async (name: string, file: string) => ({ name, body: await readFile(join(PAGE, file), 'utf8') });

async function bundle(name: string, file: string, { minify }: { readonly minify: boolean }) {
  const shape = { bundle: true, write: false, format: 'iife', target: 'es2024', outdir: PAGE, minify } as const;
  const { outputFiles } = await build({ ...shape, entryPoints: { [name]: join(PAGE, file) } });
  return outputFiles.map(({ path, text }) => ({ name: basename(path), body: text }));
}

/** Serves `POST /commands/<name>`, which runs a command with the JSON of the body as its input. */
function serveCommands(server: FastifyInstance, call: Call): void {
  // With this parser a plain text would be accepted as a body.
  server.removeContentTypeParser('text/plain');
  server.post<{ Params: { name: string } }>('/commands/:name', async ({ params: { name }, body }) => {
    if (!Object.hasOwn(COUNTER_COMMANDS, name)) throw new CounterRefusal('unknown_command');
    const command: Command = COUNTER_COMMANDS[name as CommandName];
    try {
      // The document of a partly failed command says what was done.
      const { document, failure } = await command.runNamed(Object(body) as never, call);
      return { document, failure };
    } finally {
      if (isAct(command)) forgetQueue();
    }
  });
}

const BYTES = 'application/octet-stream';
// A browser that follows a link here downloads the bytes and never renders them.
const DOWNLOAD = { 'Content-Type': BYTES, 'Content-Disposition': 'attachment' };
const ID = '(^[1-9]\\d{0,14}$)';

const uploadQuery = z.object({ name: requiredText(255), issueDate: date, expiringDate: date.optional() });

/**
 * Serves `GET /documents/<order>/<prescription>`, the bytes of the document of a prescription, and `POST /documents/<order>`,
 * which adds the bytes of the body to an order as a prescription. No command does that, since they read files of this machine.
 */
function serveDocuments(server: FastifyInstance, call: Call): void {
  type Named = { readonly order: string; readonly prescription: string };
  server.get<{ Params: Named }>(`/documents/:order${ID}/:prescription${ID}`, async ({ params }, reply) => {
    const key = await findDocumentKey(Number(params.order), Number(params.prescription));
    return reply.headers(DOWNLOAD).send(Buffer.from(await openDocuments().read(key)));
  });
  server.addContentTypeParser(BYTES, { parseAs: 'buffer' }, async (_: unknown, body: unknown) => body);
  // A larger body than allowed reaches the use case, whose refusal explains the limit.
  const options = { bodyLimit: 2 * MAX_DOCUMENT_BYTES };
  server.post<{ Params: Named; Body: unknown }>(`/documents/:order${ID}`, options, async ({ params, query, body }) => {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    const { data, error } = uploadQuery.safeParse(query);
    if (error) throw new Refusal('invalid_input', { errors: toValidationErrors(error.issues, query) });
    const { name: fileName, issueDate, expiringDate = null } = data;
    const context = createContext(call);
    const document = { bytes, fileName, issueDate, expiringDate };
    const attachment = { id: Number(params.order), ...document, ...(await context.operation()) };
    const order = await attachPrescription(attachment, context);
    forgetQueue();
    return { document: (await toChangedResult(order, '', context)).document };
  });
}

/** Returns the key of a document, also of one kept of an erased patient. Throws `not_found`, or `document_withheld` for malware. */
async function findDocumentKey(orderId: number, prescription: number): Promise<string> {
  const { prescriptions, retained } = await existingOrder(openTable(), orderId);
  const document = [...prescriptions, ...(retained?.documents ?? [])].find(({ id }) => id === prescription);
  if (document === undefined) throw new Refusal('not_found');
  if (isThreat(document)) throw new CounterRefusal('document_withheld');
  return document.documentKey;
}
