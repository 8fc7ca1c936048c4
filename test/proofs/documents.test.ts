import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ACTIVE_PDFS } from '../support/hostile/pdf-files.ts';
import type { HttpAnswer } from '../support/http/http.ts';
import { orderBody, PDF, PNG } from '../support/orders/samples.ts';
import { listStoredDocuments } from '../support/orders/stored-orders.ts';
import { prove } from '../support/proofs/proof.ts';
import { openServer, type TestServer } from '../support/servers/test-server.ts';

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await openServer();
  token = await server.login('aseguradora@demo.example');
});
afterAll(() => server.close());

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

// One of each kind: test/unit has the others.
const REFUSED: readonly (readonly [name: string, document: string])[] = [
  ['a page under the prefix of a PDF', `data:application/pdf;base64,${encode(PAGE)}`],
  ['a PDF behind a page', encode(PAGE, pdf)],
  ['a PDF with a script', encode(ACTIVE_PDFS[0]?.[1] ?? '')],
  ['a byte more than 3 MB', pdfOf(3 * MB + 1)],
  ['the address of a PDF', 'https://evil.example/receta.pdf'],
];
const TAKEN = [
  { name: 'a PNG that says that it is a page', document: `data:text/html;base64,${PNG}`, type: 'image/png' },
  { name: 'a PDF of 3 MB', document: pdfOf(3 * MB), type: 'application/pdf' },
];

describe('the document upload', () => {
  it('refuses and does not store a file that is no PDF, JPEG or PNG, or has more than pages', async () => {
    const before = await listStoredDocuments();
    for (const [name, document] of REFUSED) {
      // The order also holds a valid document, which must not be stored on its own either.
      const { status, body } = await place(prescription(PDF), prescription(document));
      const fault = { order: { prescriptions: [{}, { document: [expect.any(String)] }] } };
      expect([name, status, body]).toEqual([name, 400, fault]);
    }
    expect(await listStoredDocuments()).toEqual(before);
    prove({ check: 'Files: hostile documents', tries: REFUSED.length });
  });

  it.each(TAKEN)('stores a valid document unchanged, under its own type: $name', async ({ document, type }) => {
    const { status, body } = await place(prescription(document));
    expect(status).toBe(201);
    const answer = await fetch(body.prescriptions[0].document);
    expect(answer.headers.get('content-type')).toBe(type);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.equals(Buffer.from(document.replace(/^data:.*,/, ''), 'base64'))).toBe(true);
  });
});

/** File names that try to break out of the Content-Disposition header, or to be opened as something else. */
const NAMES = [
  'receta.pdf"; filename="evil.html',
  'receta.pdf\r\nContent-Type: text/html',
  '%22%0d%0aX-Evil: 1',
  'receta.pdf.hta',
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
});
