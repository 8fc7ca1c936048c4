import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { documentsConfig } from '../../shared/runtime/config.ts';
import { Documents, newDocumentKey } from '../../shared/store/documents.ts';
import { startLocalS3 } from '../support/engines/local-s3.ts';
import { ACTIVE_PDFS, HONEST_PDFS } from '../support/hostile/pdf-files.ts';
import type { HttpAnswer } from '../support/http/http.ts';
import { JPEG, orderBody, PDF, PNG } from '../support/orders/samples.ts';
import { listStoredDocuments } from '../support/orders/stored-documents.ts';
import { prove } from '../support/proofs/proof.ts';
import { openServer, type TestServer } from '../support/servers/test-server.ts';

let server: TestServer;
let token: string;
let s3: S3Client;
beforeAll(async () => {
  server = await openServer();
  token = await server.login('aseguradora@demo.example');
  s3 = new S3Client({ forcePathStyle: true });
});
afterAll(async () => {
  s3.destroy();
  await server.close();
});

const prescription = (document: string, more: object = {}) => ({ document, issue_date: '2026-01-19', ...more });
const place = (...prescriptions: object[]): Promise<HttpAnswer> =>
  server.request('POST', '/api/orders/resources/', { token, body: orderBody('receta@example.mx', { prescriptions }) });

const MB = 1024 * 1024;
const PAGE = '<!doctype html><html><body><script>alert(document.domain)</script></body></html>';
const pdf = Buffer.from(PDF, 'base64');
const encode = (...parts: (string | Buffer)[]) =>
  Buffer.concat(parts.map((part) => Buffer.from(part))).toString('base64');
/** Returns a PDF of this many bytes as base64. */
const pdfOf = (bytes: number) => encode(pdf.subarray(0, 9), Buffer.alloc(bytes - pdf.length, 32), pdf.subarray(9));
const first = (documents: readonly (readonly [name: string, document: Buffer])[]) => encode(documents[0]?.[1] ?? '');

// One of each kind: test/unit/domain has the others.
const REFUSED: readonly (readonly [name: string, document: string])[] = [
  ['a page under the prefix of a PDF', `data:application/pdf;base64,${encode(PAGE)}`],
  ['a program', encode('MZ', Buffer.alloc(62), 'PE\0\0')],
  ['a PDF behind a page', encode(PAGE, pdf)],
  ['a PDF with a script', first(ACTIVE_PDFS)],
  ['a byte more than 3 MB', pdfOf(3 * MB + 1)],
  ['no bytes', ''],
  ['base64 without its padding', PNG.replace(/=+$/, '')],
  ['the address of a PDF', 'https://evil.example/receta.pdf'],
];
const TAKEN = [
  { name: 'a JPEG', document: JPEG, type: 'image/jpeg' },
  { name: 'a PNG that says that it is a page', document: `data:text/html;base64,${PNG}`, type: 'image/png' },
  { name: 'a PDF of a phone', document: first(HONEST_PDFS), type: 'application/pdf' },
  {
    name: 'a PDF behind a byte order mark, as a form library sends it',
    document: `data:application/pdf;name=receta.pdf;base64,${encode('\ufeff', pdf)}`,
    type: 'application/pdf',
  },
  { name: 'a PDF of 3 MB', document: pdfOf(3 * MB), type: 'application/pdf' },
];

describe('the document upload', () => {
  it('refuses and does not store a file that is no PDF, JPEG or PNG, or has more than pages', async () => {
    const before = await listStoredDocuments();
    const taken: string[] = [];
    for (const [name, document] of REFUSED) {
      // The order also holds a valid document, which must not be stored on its own either.
      const { status, body } = await place(prescription(PDF), prescription(document));
      const fault = { order: { prescriptions: [{}, { document: [expect.any(String)] }] } };
      if (status === 201) taken.push(name);
      else expect([name, status, body]).toEqual([name, 400, fault]);
    }
    expect(taken).toEqual([]);
    expect(await listStoredDocuments()).toEqual(before);
    prove({ check: 'Files: hostile documents', tries: REFUSED.length, lost: taken.length });
  });

  it.each(TAKEN)('stores a valid document unchanged, under its own type: $name', async ({ document, type }) => {
    const before = await listStoredDocuments();
    const { status, body } = await place(prescription(document));
    expect(status).toBe(201);
    const [key] = (await listStoredDocuments()).filter((one) => !before.includes(one));
    const object = await s3.send(new GetObjectCommand({ Bucket: documentsConfig().DOCUMENTS_BUCKET, Key: key }));
    const bytes = Buffer.from((await object.Body?.transformToByteArray()) ?? []);
    expect(object.ContentType).toBe(type);
    expect(object.ContentDisposition).toMatch(/^attachment; filename="receta-1\./);
    expect(bytes.equals(Buffer.from(document.replace(/^data:.*,/, ''), 'base64'))).toBe(true);
    expect(new URL(body.prescriptions[0].document).pathname).toContain(key);
  });
});

/** File names that try to break out of the Content-Disposition header, or to be opened as something else. */
const NAMES = [
  'receta.pdf"; filename="evil.html',
  'receta.pdf\r\nContent-Type: text/html',
  "receta.pdf; filename*=UTF-8''evil.html",
  '..\\..\\evil.html',
  'receta\u202efdp.exe',
  '<script>alert(1)</script>',
  '%22%0d%0aX-Evil: 1',
  'receta.pdf.hta',
  'receta.hta. .',
  'receta.pdf:hta',
  'receta.hta%00',
  'NUL.hta',
  `${'a'.repeat(240)}.pdf.hta`,
  '',
];

const readLink = async (id: number): Promise<string> => {
  const { body } = await server.request('GET', `/api/orders/${id}/`, { token });
  return body.prescriptions[0].document;
};

describe('document links', () => {
  it('open as attachments of the right type, whatever the file name, of which they tell nothing', async () => {
    for (const document_name of NAMES) {
      const { body } = await place(prescription(PDF, { document_name }));
      const [{ document: link, document_name: shown }] = body.prescriptions;
      expect(shown).toMatch(/^.{1,96}\.pdf$/u);
      expect(link.replace(/\/test-[\w-]+\/prescriptions\//, '')).not.toMatch(/receta|a{20}|attachment|response-/i);
      const answer = await fetch(link);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('application/pdf');
      expect(answer.headers.get('x-evil')).toBeNull();
      expect(answer.headers.get('content-disposition')).toMatch(
        /^attachment; filename="[\w .()-]{1,100}\.pdf"; filename\*=UTF-8''[\w.%!~-]+\.pdf$/,
      );
      expect(answer.headers.get('cache-control')).toBe('private, no-store');
      expect(Buffer.from(await answer.arrayBuffer()).toString('base64')).toBe(PDF);
    }
    prove({ check: 'Files: names that end as a program does, or break out', tries: NAMES.length });
  });

  it('open for 5 minutes', async () => {
    const { body } = await place(prescription(PDF));
    const made = async (secondsAgo: number) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - secondsAgo * 1_000 });
      const link = await readLink(body.id).finally(() => vi.useRealTimers());
      return (await fetch(link)).status;
    };
    expect(await made(290)).toBe(200);
    expect(await made(301)).toBe(403);
    const { searchParams } = new URL(await readLink(body.id));
    expect(searchParams.get('X-Amz-Expires')).toBe('300');
  });

  it('cannot be altered to open anything else', async () => {
    // The local S3 of the server accepts any signature; this one checks them.
    const strict = await startLocalS3('documents', 'catalog');
    vi.stubEnv('AWS_ENDPOINT_URL_S3', strict.endpoint);
    const documents = new Documents('documents', true);
    const keys = [newDocumentKey(), newDocumentKey()] as const;
    const bytes = Buffer.from(PDF, 'base64');
    await documents.store(keys.map((key) => ({ key, bytes, type: 'application/pdf', name: 'receta.pdf' })));
    const [link, foreign] = (await Promise.all(keys.map((key) => documents.link(key)))).map(
      (each) => new URL(each),
    ) as [URL, URL];
    expect((await fetch(link)).status).toBe(200);

    const tampered = tamperedLinks(link, foreign);
    let opened = 0;
    for (const [name, url, method = 'GET'] of tampered) {
      const { status } = await fetch(url, method === 'PUT' ? { method, body: 'x' } : { method });
      if (status < 300) opened += 1;
      else expect([name, status]).toEqual([name, expect.toSatisfy((refused) => [400, 403].includes(refused))]);
    }
    expect(Buffer.from(await (await fetch(link)).arrayBuffer()).equals(bytes)).toBe(true);
    await strict.stop();
    prove({ check: 'Files: altered document links', tries: tampered.length, lost: opened });
  });
});

/** Returns altered copies of a link, each with its request method if that is not GET. */
function tamperedLinks(link: URL, foreign: URL): readonly (readonly [name: string, url: URL, method?: string])[] {
  const parameter = (name: string, value: string): URL => {
    const url = new URL(link);
    url.searchParams.set(name, value);
    return url;
  };
  const signature = link.searchParams.get('X-Amz-Signature') ?? '';
  const altered = signature.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
  return [
    ['the document of another order', new URL(`${foreign.pathname}${link.search}`, link)],
    ['a longer life', parameter('X-Amz-Expires', '604800')],
    ['another day', parameter('X-Amz-Date', '20990101T000000Z')],
    ['another signature', parameter('X-Amz-Signature', altered)],
    ['no signature', parameter('X-Amz-Signature', '')],
    ['another type of answer', parameter('response-content-type', 'text/html')],
    ['an answer that is shown', parameter('response-content-disposition', 'inline')],
    ['writing', link, 'PUT'],
    ['removing', link, 'DELETE'],
  ];
}
