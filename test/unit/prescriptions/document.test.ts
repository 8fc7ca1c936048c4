import { describe, expect, it } from 'vitest';
import { Refusal, unavailable } from '../../../shared/domain/refusal.ts';
import {
  decodeBase64Strictly,
  detectDocumentType,
  documentName,
  MAX_DOCUMENT_BYTES,
  MAX_DOCUMENTS_BYTES_PER_ORDER,
  MAX_DOCUMENTS_PER_ORDER,
} from '../../../shared/prescriptions/rules/document.ts';
import { Uploads } from '../../../shared/prescriptions/uploads.ts';
import type { Documents } from '../../../shared/store/documents.ts';
import { ACTIVE_PDFS, BOUNDLESS_PDFS, HONEST_PDFS, onePagePdf } from '../../support/hostile/pdf-files.ts';
import { JPEG, PNG } from '../../support/orders/samples.ts';

it('the bounds are 3 MB for a document, ten documents and 4 MB for an order', () => {
  const bounds = [MAX_DOCUMENT_BYTES, MAX_DOCUMENTS_PER_ORDER, MAX_DOCUMENTS_BYTES_PER_ORDER];
  expect(bounds).toEqual([3_145_728, 10, 4_194_304]);
});

describe('decodeBase64Strictly', () => {
  it.each([
    ['YWI=', [97, 98]],
    ['YWJj', [97, 98, 99]],
    ['+/+/', [251, 255, 191]],
    ['data:application/pdf;name="receta; de hoy, 2.pdf";charset=utf-8;base64,YWJj', [97, 98, 99]],
    ['DATA:Application/PDF;BASE64,YWJj', [97, 98, 99]],
    ['data:;base64,YWJj', [97, 98, 99]],
    ['data:application/pdf;name=receta%20de%20N%C3%BA%C3%B1ez.pdf;charset=utf-8;base64,YQ==', [97]],
    [`data:application/pdf;name=${'a'.repeat(2_000)};base64,YQ==`, [97]],
  ])('decodes %s', (text, bytes) => {
    expect(decodeBase64Strictly(text)).toEqual(Uint8Array.from(bytes));
  });

  it.each([
    ['', 'nothing'],
    ['data:application/pdf;base64,', 'a prefix with nothing behind it'],
    ['YQ', 'no padding'],
    ['YR==', 'spare bits that are not zero'],
    ['YQ==YQ==', 'padding in the middle'],
    ['-_-_', 'the alphabet for addresses'],
    ['YW Jj', 'a blank'],
    ['YWJñ', 'a foreign letter'],
    ['data:application/pdf,YWJj', 'a prefix without base64'],
    ['data:application/pdf;name=a,b;base64,YWJj', 'a comma in a parameter'],
    ['data:;base64;base64,YWJj', 'base64 twice'],
    ['data:application/pdf;base64;name=receta.pdf,YWJj', 'base64 that is not last'],
    [`data:application/pdf;name=${'a'.repeat(2_100)};base64,YWJj`, 'a prefix that is too long'],
    ['data:application/pdf;base64, YWJj', 'a blank behind the prefix'],
    ['YWJjdata:a/b;base64,YWJj', 'a prefix behind something'],
  ])('refuses %j: %s', (text) => {
    expect(decodeBase64Strictly(text)).toBeUndefined();
  });

  it('decodes 4 MB of text, and refuses as much with one wrong character at the end', () => {
    const text = 'AAAA'.repeat(1024 * 1024);
    expect(decodeBase64Strictly(text)?.length).toBe(3 * 1024 * 1024);
    expect(decodeBase64Strictly(`${text}A`)).toBeUndefined();
    expect(decodeBase64Strictly(`data:${'a'.repeat(4 * 1024 * 1024)}`)).toBeUndefined();
  });
});

const joinBytes = (...parts: (string | number[])[]) =>
  new Uint8Array(
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part)))),
  );

describe('detectDocumentType', () => {
  it.each([
    ['begins behind a byte order mark', joinBytes([0xef, 0xbb, 0xbf], '%PDF-1.7\n%%EOF')],
    ['begins behind the commands of a printer', joinBytes('\x1b%-12345X@PJL JOB\r\n', '%PDF-1.7\n%%EOF')],
    ['begins at the end of the first 1024 bytes', joinBytes(' '.repeat(1019), '%PDF-1.7\n%%EOF')],
  ])('accepts a PDF that %s', (_, bytes) => {
    expect(detectDocumentType(bytes)).toBe('application/pdf');
  });

  it.each([
    ['begins behind the first 1024 bytes', joinBytes(' '.repeat(1020), '%PDF-1.7\n%%EOF')],
    ['is hidden behind blanks and a page', joinBytes('\n \n<p>%PDF-1.7\n%%EOF')],
    ['is hidden behind a byte order mark and a page', joinBytes([0xef, 0xbb, 0xbf], '<p>%PDF-1.7\n%%EOF')],
    ['is hidden in the name of a file in gzip', joinBytes([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3], '%PDF-1.7\n%%EOF')],
    ['is hidden behind the beginning of xz', joinBytes([0xfd], '7zXZ', [0], '%PDF-1.7\n%%EOF')],
    ['is hidden behind the beginning of bzip2', joinBytes('BZh91AY', '%PDF-1.7\n%%EOF')],
    ['is hidden behind the beginning of a program', joinBytes('MZ', [0x90, 0], '%PDF-1.7\n%%EOF')],
    ['is hidden behind a line for a shell', joinBytes('#!/bin/sh\n', '%PDF-1.7\n%%EOF')],
    ['begins as a picture', joinBytes('GIF89a%PDF-1.7\n%%EOF')],
    ['is written small', joinBytes('%pdf-1.7\n%%EOF')],
  ])('refuses a PDF that %s', (_, bytes) => {
    expect(detectDocumentType(bytes)).toBeUndefined();
  });

  it.each([
    ['nothing', joinBytes()],
    ['text', joinBytes('Paracetamol 500 mg, cada 8 horas')],
    ['GIF', joinBytes('GIF89a;')],
    ['SVG', joinBytes('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ])('refuses %s', (_, bytes) => {
    expect(detectDocumentType(bytes)).toBeUndefined();
  });

  it('accepts a picture, and reads a part of a larger buffer as that part', () => {
    const types = [JPEG, PNG].map((picture) => detectDocumentType(Buffer.from(picture, 'base64')));
    expect(types).toEqual(['image/jpeg', 'image/png']);
    const whole = joinBytes('GIF8%PDF-1.7\n%%EOF');
    expect(detectDocumentType(whole.subarray(4))).toBe('application/pdf');
    expect(detectDocumentType(whole.subarray(0, 8))).toBeUndefined();
  });
});

describe('the content of a document', () => {
  it.each([
    ['may not have scripts, programs or files', ACTIVE_PDFS, 9 * 10, undefined],
    ['may not have more than can be looked into', BOUNDLESS_PDFS, 4, undefined],
    ['may be a PDF as phones, offices and clinics make them', HONEST_PDFS, 15, 'application/pdf'],
  ])('%s', (_, documents, count, type) => {
    expect(documents).toHaveLength(count);
    expect(documents.filter(([, document]) => detectDocumentType(document) !== type).map(([name]) => name)).toEqual([]);
  });

  it.each([
    ['a name that only begins so', '/OpenAction<</S/LaunchPad>>', 'application/pdf'],
    ['a name that is written small', '/OpenAction<</S/launch>>', 'application/pdf'],
    ['a name at the end of what is written', '/S/Launch', undefined],
    ['a name before a comment', '/S/Launch%x', undefined],
    ['a name with a letter escaped twice', '/S/#4#43aunch', 'application/pdf'],
  ])('is refused for whole names: %s', (_, entries, type) => {
    expect(detectDocumentType(onePagePdf(entries))).toBe(type);
  });
});

describe('the name of a document', () => {
  const named = (given: string) => documentName(given, 1, 'application/pdf');

  it.each([
    [1, 'application/pdf', 'receta-1.pdf'],
    [2, 'image/jpeg', 'receta-2.jpg'],
    [10, 'image/png', 'receta-10.png'],
  ] as const)('is the number %i with the extension of %s, where none was given', (position, type, name) => {
    expect(documentName(undefined, position, type)).toBe(name);
  });

  it('stays as it is', () => {
    const plain = ['Receta Dra. Núñez (1).pdf', '处方.pdf', 'receta 12.11.2026.pdf', 'Receta & más_100%.pdf'];
    expect(plain.map(named)).toEqual(plain);
  });

  it.each([
    ['receta.hta', 'receta.pdf'],
    ['receta.pdf.hta.', 'receta.pdf'],
    ['receta.', 'receta.pdf'],
    ['receta.settingcontent-ms', 'receta.settingcontent-ms.pdf'],
    ['receta.pdf:evil.hta', 'receta.pdfevil.pdf'],
    ['Dra. Paz', 'Dra. Paz.pdf'],
    ['  receta.pdf\t', 'receta.pdf'],
    ['re"ce\'ta`.pdf', 'receta.pdf'],
    ['../../etc/receta.pdf', 'etcreceta.pdf'],
    ['C:\\recetas\\mía.pdf', 'Crecetasmía.pdf'],
    ['receta\r\nX-Evil: 1.pdf', 'recetaX-Evil 1.pdf'],
    ['receta\u0000\u007f\u0085.pdf', 'receta.pdf'],
    ['receta\u202efdp.exe', 'recetafdp.pdf'],
    ['receta\u1fef.pdf', 'receta.pdf'], // NFC makes it a backtick
    ['receta\ud83d.pdf', 'receta.pdf'],
    ['Nu\u0301n\u0303ez.pdf', 'Núñez.pdf'],
    ['u\u200b\u0301til.pdf', 'útil.pdf'],
  ])('is plain, and ends as its type: %j becomes %j', (given, name) => {
    expect(named(given)).toBe(name);
  });

  it('of a picture ends as its type, and is a number where nothing is left', () => {
    expect(documentName('foto.jpeg', 1, 'image/jpeg')).toBe('foto.jpg');
    expect(documentName('foto.jpg', 1, 'image/png')).toBe('foto.png');
    for (const given of ['', '   ', '"', '//', '..', '.pdf', '.jpg.hta', ' .pdf', '\u0000', '\ud800', '“”']) {
      expect([given, documentName(given, 3, 'image/jpeg')]).toEqual([given, 'receta-3.jpg']);
    }
  });

  it('is not that of a device, but may begin so', () => {
    const devices = ['CON', 'nul.pdf', 'aux.tar.pdf', 'Com1.txt', 'LPT¹', 'prn .pdf', 'conin$'];
    expect(new Set(devices.map(named))).toEqual(new Set(['receta-1.pdf']));
    const others = ['console.pdf', 'auxiliar.pdf', 'nulo.pdf', 'com10.pdf'];
    expect(others.map(named)).toEqual(others);
  });

  it('has at most 100 characters, whole ones and the extension among them', () => {
    expect(named('a'.repeat(100))).toBe(`${'a'.repeat(96)}.pdf`);
    expect(named(`${'a'.repeat(96)}.pdf`)).toBe(`${'a'.repeat(96)}.pdf`);
    expect(named(`${'a'.repeat(97)}.pdf`)).toBe(`${'a'.repeat(96)}.pdf`);
    expect(named(`${'a'.repeat(92)}.hta.pdf`)).toBe(`${'a'.repeat(92)}.hta.pdf`);
    expect(named(`a${'😀'.repeat(100)}`)).toBe(`a${'😀'.repeat(95)}.pdf`);
    expect(named(`${'a'.repeat(95)} b`)).toBe(`${'a'.repeat(95)}.pdf`);
    expect(named(`${'a'.repeat(95)}.b`)).toBe(`${'a'.repeat(95)}.pdf`);
    expect(named('ñ'.repeat(1_000_000))).toBe(`${'ñ'.repeat(96)}.pdf`);
  });
});

const PDF = { bytes: new Uint8Array([1, 2, 3]), type: 'application/pdf', name: 'receta-1.pdf' } as const;

/** Uploads into a bucket that only notes what becomes of its documents. */
function openUploads() {
  const stored: string[] = [];
  const removed: string[] = [];
  const bucket = {
    store: async (documents: readonly { readonly key: string }[]) => stored.push(...documents.map(({ key }) => key)),
    remove: async (keys: readonly string[]) => removed.push(...keys),
  };
  return { uploads: new Uploads(bucket as unknown as Documents), stored, removed };
}

describe('the documents of a request', () => {
  it('are stored once, under keys that its prescriptions have', async () => {
    const { uploads, stored } = openUploads();
    const first = await uploads.store([PDF, PDF]);
    const second = await uploads.store([PDF, PDF]);
    expect(stored).toHaveLength(2);
    expect(second).toBe(first);
    expect(first).toMatchObject([
      { documentKey: stored[0], documentName: 'receta-1.pdf', documentType: 'application/pdf' },
      { documentKey: stored[1] },
    ]);
  });

  it.each([
    ['removed after a certain refusal', new Refusal('order_changed_meanwhile'), 1],
    ['kept when the outcome is unknown', unavailable(), 0],
    ['kept after a fault of ours', new Error('a fault'), 0],
  ])('are %s', async (_, failure, count) => {
    const { uploads, stored, removed } = openUploads();
    const placing = uploads.keepUnlessRefused(async () => {
      await uploads.store([PDF]);
      throw failure;
    });
    await expect(placing).rejects.toBe(failure);
    expect(removed).toEqual(stored.slice(0, count));
    const none = openUploads();
    await expect(none.uploads.keepUnlessRefused(() => Promise.reject(failure))).rejects.toBe(failure);
    expect(none.removed).toEqual([]);
  });
});
