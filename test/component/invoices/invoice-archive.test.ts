import { mkdtemp, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetObjectCommand, ListObjectsCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { handler as runDueTasks } from '../../../functions/jobs/run-due-tasks.ts';
import { cancelInvoice } from '../../../shared/invoices/rules/document-life.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { type FacturapiCall, refusal } from '../../support/engines/facturapi-server.ts';
import { operate } from '../../support/operators/operator.ts';
import { EMPLOYEE, NOON, newAddress, useInvoicingServer } from '../../support/servers/invoicing-server.ts';

const DOWN = refusal(500, 'internal_error');

const server = useInvoicingServer();
const s3 = new S3Client({ forcePathStyle: true });
afterAll(() => s3.destroy());

const Bucket = () => process.env.DOCUMENTS_BUCKET;

/** Reads the archived objects that have come since, by their names in their folders. */
async function readArchive(known: ReadonlySet<string> = new Set()): Promise<Record<string, string>> {
  const { Contents = [] } = await s3.send(new ListObjectsCommand({ Bucket: Bucket(), Prefix: 'invoices/' }));
  const found: Record<string, string> = {};
  for (const { Key = '' } of Contents.filter(({ Key = '' }) => !known.has(Key))) {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: Bucket(), Key }));
    found[Key] = (await Body?.transformToString()) ?? '';
  }
  return found;
}

let known: ReadonlySet<string>;
beforeEach(async () => {
  known = new Set(Object.keys(await readArchive()));
});
const readNew = () => readArchive(known);

const isFileCall = ({ method, path }: FacturapiCall) => method === 'GET' && /\/(pdf|xml)$/.test(path);
const cancel = (id: number) => server.as(EMPLOYEE, 'PATCH', `/api/orders/${id}/`, { order_status: 'cancelled' });
const minutesLater = (minutes: number) => new Date(NOON.getTime() + minutes * 60_000);
const runAt = async (minutes: number) => {
  setClock(minutesLater(minutes));
  await runDueTasks();
};

async function erase(patient: number): Promise<void> {
  const argv = ['patients', 'erase', '--client', String(server.client.id), '--id', String(patient), '--yes'];
  expect(await operate('pipe', ...argv)).toMatchObject({ code: 0 });
}

async function place({ email = newAddress(), patient = 'ana@example.mx' } = {}) {
  const { status, body } = await server.place({ email: patient, invoicing: { email } });
  expect([status, body.cfdi === '']).toEqual([201, false]);
  const invoice = server.facturapi.invoices.find(({ id }) => id === body.cfdi);
  const name = `factura-F-${invoice?.folio_number}`;
  return { id: Number(body.id), cfdi: String(body.cfdi), uuid: invoice?.uuid, name, email };
}

describe('an issued invoice', () => {
  it('is copied under a key that says nothing, and its stamp stands in the order', async () => {
    const { id, cfdi, uuid } = await place();
    const copies = await readNew();
    expect(Object.entries(copies)).toEqual([
      [expect.stringMatching(/^invoices\/[0-9a-f]{32}\/document\.pdf$/), `%PDF-1.7\n% ${cfdi}`],
      [
        expect.stringMatching(/^invoices\/[0-9a-f]{32}\/document\.xml$/),
        '<?xml version="1.0"?><cfdi:Comprobante Version="4.0" Total="136"/>',
      ],
    ]);
    expect((await server.stored(id)).invoice).toMatchObject({
      providerId: cfdi,
      stamp: { uuid, series: 'F', folio: expect.stringMatching(/^\d+$/), at: expect.stringMatching(/Z$/) },
      kept: ['files'],
      tasks: { mail: { tries: 1, dueAt: null } },
    });
  });

  it('is mailed from its copy when SES was down and the provider is down since', async () => {
    server.ses.scenario = 'down';
    const { email, cfdi } = await place();
    server.ses.scenario = 'well';
    server.facturapi.script(() => DOWN);
    await runAt(1);
    const [mail] = await server.ses.mailsTo(email);
    expect(Buffer.from(mail?.attachments[0]?.content ?? '', 'base64').toString()).toBe(`%PDF-1.7\n% ${cfdi}`);
    expect(server.facturapi.calls).toEqual([]);
  });

  it('is copied and mailed later, once, when the provider was down after the stamp', async () => {
    server.facturapi.script((call) => (isFileCall(call) ? DOWN : undefined));
    const { id, email } = await place();
    expect((await server.stored(id)).invoice).toMatchObject({
      kept: [],
      tasks: { archive: { tries: 0, dueAt: minutesLater(1).toISOString() } },
      mail: 'due',
    });
    await expect(runAt(1)).rejects.toThrow();
    expect(await readNew()).toEqual({});
    server.facturapi.script();
    await runAt(60);
    expect(Object.keys(await readNew())).toHaveLength(2);
    expect(await server.ses.mailsTo(email)).toHaveLength(1);
    expect((await server.stored(id)).invoice).toMatchObject({
      kept: ['files'],
      tasks: { mail: { dueAt: null } },
      mail: 'sent',
    });
  });
});

it('the operator gets the copies while the provider is down, and sees the stamp', async () => {
  const { id, cfdi, uuid, name } = await place();
  server.facturapi.script(() => DOWN);
  const folder = await mkdtemp(join(tmpdir(), 'archive-'));
  const pdf = join(folder, `${name}.pdf`);
  expect(await operate('pipe', 'invoices', 'files', String(id), '--out', folder)).toMatchObject({ code: 0 });
  expect(await readFile(pdf, 'utf8')).toBe(`%PDF-1.7\n% ${cfdi}`);
  expect((await stat(pdf)).mode & 0o777).toBe(0o600);
  const { out } = await operate('pipe', 'orders', 'show', String(id), '--json');
  const document = { kind: 'invoice', status: 'issued', uuid, series: 'F', amount: '136.00', kept: ['files'] };
  expect(JSON.parse(out).tax_documents).toMatchObject([document]);
});

describe('the mail of a cancellation', () => {
  it('carries the receipt, which is copied once SAT has accepted it, from its copy when SES was down', async () => {
    const { id, email, uuid, name } = await place();
    await cancel(id);
    server.ses.scenario = 'down';
    await runAt(1);
    server.ses.scenario = 'well';
    const receipts = Object.entries(await readNew()).filter(([key]) => key.endsWith('/receipt.xml'));
    expect(receipts).toEqual([
      [expect.any(String), `<?xml version="1.0"?><Acuse><Folios><UUID>${uuid}</UUID></Folios></Acuse>`],
    ]);
    const { invoice } = await server.stored(id);
    expect([invoice?.kept, invoice?.tasks.archive]).toEqual([['files', 'receipt'], undefined]);
    server.facturapi.script(() => DOWN);
    await runAt(10);
    const mails = await server.ses.mailsTo(email);
    const mail = mails.find(({ subject }) => subject.startsWith('Cancelación de la factura del pedido RX-'));
    expect(mails).toHaveLength(2);
    expect(mail?.attachments.map(({ filename }) => filename)).toEqual([`${name}-acuse.xml`]);
    expect(Buffer.from(mail?.attachments[0]?.content ?? '', 'base64').toString()).toContain(String(uuid));
  });

  it('is not sent to a patient who was erased', async () => {
    const { id, email } = await place({ patient: newAddress() });
    await server.force(id, { orderStatus: 'delivered', paymentStatus: 'paid', paymentDate: NOON.toISOString() });
    const { patient, invoice } = await server.stored(id);
    if (!invoice) throw new Error('no invoice');
    await erase(patient.id);
    await server.force(id, { invoice: cancelInvoice(invoice, NOON) });
    await runAt(1);
    expect((await server.stored(id)).invoice).toMatchObject({
      status: 'cancelled',
      mail: null,
      kept: ['files', 'receipt'],
      tasks: {},
    });
    expect(await server.ses.mailsTo(email)).toHaveLength(1);
  });
});
