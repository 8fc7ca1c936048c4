import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentsConfig } from '../../../shared/runtime/config.ts';
import { ARCHIVED_DOCUMENTS, HONEST_PICTURES } from '../../support/hostile/hostile-archives.ts';
import { ACTIVE_PDFS, HONEST_PDFS } from '../../support/hostile/pdf-files.ts';
import { orderBody, PDF } from '../../support/orders/samples.ts';
import { listStoredDocuments } from '../../support/orders/stored-documents.ts';
import { prove, seed, someOf } from '../../support/proofs/proof.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

let server: TestServer;
let token: string;
let s3: S3Client;
beforeAll(async () => {
  server = await openTestServer();
  token = await server.login('aseguradora@demo.example');
  s3 = new S3Client({ forcePathStyle: true });
});
afterAll(async () => {
  s3.destroy();
  await server.close();
});

const place = (document: string, more: object = {}) =>
  server.request('POST', '/api/orders/resources/', {
    token,
    body: orderBody('receta@example.mx', { prescriptions: [{ document, issue_date: '2026-01-19', ...more }] }),
  });

type Documents = readonly (readonly [name: string, document: Buffer])[];

/** Sends each document with an order; returns the names of those that were taken. */
async function findTaken(documents: Documents): Promise<string[]> {
  const taken: string[] = [];
  for (const [name, document] of documents) {
    const { status, body } = await place(document.toString('base64'));
    if (status === 201) taken.push(name);
    else expect([name, status, Object.keys(body.order.prescriptions[0])]).toEqual([name, 400, ['document']]);
  }
  return taken;
}

it('stored documents are found beyond the first page of a list', async () => {
  const before = await listStoredDocuments();
  for (let each = 0; each < 3; each++) expect((await place(PDF)).status).toBe(201);
  expect(await listStoredDocuments(2)).toHaveLength(before.length + 3);
});

describe('a document', () => {
  it.each([
    ['archives, whatever their records say', ARCHIVED_DOCUMENTS],
    ['PDFs with scripts, programs, forms or files', ACTIVE_PDFS],
  ] as const)('of these kinds is refused and not stored: %s', async (what, all) => {
    const documents = someOf(all, seed(), 15);
    const before = await listStoredDocuments();
    const taken = await findTaken(documents);
    expect(taken).toEqual([]);
    expect(await listStoredDocuments()).toEqual(before);
    prove({ check: `attack 11: ${what}`, tries: documents.length, lost: taken.length });
  });

  it.each([
    ['PDFs of phones, offices and clinics', HONEST_PDFS],
    ['pictures with the beginnings of archives by chance', HONEST_PICTURES],
  ] as const)('of these kinds is taken: %s', async (what, all) => {
    const documents = someOf(all, seed(), 5);
    const taken = await findTaken(documents);
    expect(taken).toEqual(documents.map(([name]) => name));
    prove({ check: `attack 11: honest ${what}`, tries: documents.length, lost: documents.length - taken.length });
  });
});

/** File names under which a document would be opened as something else. */
const NAMES = [
  ...['hta', 'HTA', 'html', 'exe', 'js', 'vbs', 'scr', 'lnk', 'iso', 'svg', 'pdf.hta', 'pdf.exe', 'settingcontent-ms'],
  ...[
    'hta.',
    'hta. .',
    'hta ',
    'hta\u0000',
    'hta\u200b',
    'hta/',
    'pdf:hta',
    'h\u202eta',
    'hta"',
    "hta'",
    'hta;',
    'hta%00',
  ],
].map((extension) => `receta.${extension}`);
const WHOLE_NAMES = [
  '.hta',
  '..hta',
  'con',
  'NUL.hta',
  `${'a'.repeat(96)}.hta`,
  `${'a'.repeat(240)}.pdf.hta`,
  'receta',
  '',
];
const ATTACHMENT = /^attachment; filename="[\w .()-]{1,100}\.pdf"; filename\*=UTF-8''[\w.%!~-]+\.pdf$/;

describe('the name of a document', () => {
  it('ends as its type does, is nothing but the object knows it, and is in no link', async () => {
    const names = someOf([...NAMES, ...WHOLE_NAMES], seed(), 15);
    const bad: string[] = [];
    for (const name of names) {
      const { status, body } = await place(PDF, { document_name: name });
      expect([name, status]).toEqual([name, 201]);
      const [{ document, document_name: shown }] = body.prescriptions;
      const { headers } = await fetch(document);
      const isPdf = headers.get('content-type') === 'application/pdf' && shown.endsWith('.pdf') && shown.length <= 100;
      const parameters = [...new URL(document).searchParams.keys()].filter((key) => key.startsWith('response-'));
      const isInLink = /receta|a{20}|attachment/i.test(document.replace(/\/test-[\w-]+\/prescriptions\//, ''));
      if (!isPdf || !ATTACHMENT.test(headers.get('content-disposition') ?? '') || parameters.length > 0 || isInLink) {
        bad.push(name);
      }
    }
    expect(bad).toEqual([]);
    prove({ check: 'attack 11: names that end as a program does', tries: names.length, lost: bad.length });
  });

  it('is metadata of the object, with its type', async () => {
    const { body } = await place(PDF, { document_name: 'Receta Núñez.hta' });
    const { pathname } = new URL(body.prescriptions[0].document);
    const Key = pathname.slice(pathname.indexOf('prescriptions/'));
    const object = await s3.send(new GetObjectCommand({ Bucket: documentsConfig().DOCUMENTS_BUCKET, Key }));
    expect([object.ContentType, object.ContentDisposition]).toEqual([
      'application/pdf',
      'attachment; filename="Receta N__ez.pdf"; filename*=UTF-8\'\'Receta%20N%C3%BA%C3%B1ez.pdf',
    ]);
  });
});
