import { describe, expect, it } from 'vitest';
import {
  decodeBase64Strictly,
  detectDocumentType,
  MAX_DOCUMENT_BYTES,
  MAX_DOCUMENTS_BYTES_PER_ORDER,
  MAX_DOCUMENTS_PER_ORDER,
  validatePrescriptionDates,
} from '../../../shared/domain/prescriptions/prescription.ts';
import { JPEG, PNG } from '../../support/orders/samples.ts';

describe('the bounds', () => {
  it('are 3 MB for a document, ten documents and 4 MB for an order', () => {
    expect(MAX_DOCUMENT_BYTES).toBe(3_145_728);
    expect(MAX_DOCUMENTS_PER_ORDER).toBe(10);
    expect(MAX_DOCUMENTS_BYTES_PER_ORDER).toBe(4_194_304);
  });
});

describe('decodeBase64Strictly', () => {
  it.each([
    ['YQ==', [97]],
    ['YWI=', [97, 98]],
    ['YWJj', [97, 98, 99]],
    ['+/+/', [251, 255, 191]],
    ['data:application/pdf;base64,YWJj', [97, 98, 99]],
    ['data:image/svg+xml;base64,YQ==', [97]],
  ])('decodes %s', (text, bytes) => {
    expect(decodeBase64Strictly(text)).toEqual(Uint8Array.from(bytes));
  });

  it.each([
    ['', 'nothing'],
    ['data:application/pdf;base64,', 'a prefix with nothing behind it'],
    ['YQ', 'no padding'],
    ['YQ=', 'half the padding'],
    ['YWJj====', 'too much padding'],
    ['Y', 'a length that no bytes have'],
    ['YR==', 'spare bits that are not zero'],
    ['YWJ=', 'spare bits that are not zero'],
    ['YQ==YQ==', 'padding in the middle'],
    ['-_-_', 'the alphabet for addresses'],
    ['YW Jj', 'a blank'],
    ['YWJj\n', 'a line break'],
    [' YWJj', 'a blank before it'],
    ['YWJ*', 'a foreign character'],
    ['YWJñ', 'a foreign letter'],
    ['data:,YWJj', 'a prefix without base64'],
    ['data:application/pdf,YWJj', 'a prefix without base64'],
    ['data:;base64,YWJj', 'a prefix without a type'],
    ['data:application/pdf;base64, YWJj', 'a blank behind the prefix'],
    ['data:a/b;base64,data:a/b;base64,YWJj', 'two prefixes'],
    ['YWJjdata:a/b;base64,YWJj', 'a prefix behind something'],
    ['data:/pdf;base64,YWJj', 'a prefix with half a type'],
    ['data:application/;base64,YWJj', 'a prefix with half a type'],
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
    ['ends with its mark', joinBytes('%PDF-1.7\n1 0 obj\n%%EOF')],
    ['has a line break behind its mark', joinBytes('%PDF-1.4\n%%EOF\r\n')],
    ['has its mark at the start of the last 1024 bytes', joinBytes('%PDF-1.4\n%%EOF', '\n'.repeat(1019))],
  ])('accepts a PDF that %s', (_, bytes) => {
    expect(detectDocumentType(bytes)).toBe('application/pdf');
  });

  it.each([
    ['is cut off', joinBytes('%PDF-1.7\n1 0 obj\n')],
    ['has its mark before the last 1024 bytes', joinBytes('%PDF-1.4\n%%EOF', '\n'.repeat(1020))],
    ['begins later', joinBytes('\n%PDF-1.7\n%%EOF')],
    ['is written small', joinBytes('%pdf-1.7\n%%EOF')],
    ['is hidden behind a page', joinBytes('<html>%PDF-1.7\n%%EOF')],
  ])('refuses a PDF that %s', (_, bytes) => {
    expect(detectDocumentType(bytes)).toBeUndefined();
  });

  it('accepts a picture', () => {
    expect(detectDocumentType(Buffer.from(JPEG, 'base64'))).toBe('image/jpeg');
    expect(detectDocumentType(Buffer.from(PNG, 'base64'))).toBe('image/png');
  });

  it.each([
    ['a zip', [0x50, 0x4b, 5, 6, ...Array.from({ length: 18 }, () => 0)]],
    ['a rar', [0x52, 0x61, 0x72, 0x21, 0x1a, 7]],
    ['a 7z', [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]],
  ])('refuses a PDF that is also %s', (_, sign) => {
    expect(detectDocumentType(joinBytes('%PDF-1.7\n', sign, '\n%%EOF'))).toBeUndefined();
    expect(detectDocumentType(joinBytes('%PDF-1.7\n', sign.slice(1), '\n%%EOF'))).toBe('application/pdf');
  });

  it.each([
    ['nothing', joinBytes()],
    ['one byte', joinBytes([0xff])],
    ['text', joinBytes('Paracetamol 500 mg, cada 8 horas')],
    ['GIF', joinBytes('GIF89a;')],
    ['WebP', joinBytes('RIFF', [0, 0, 0, 0], 'WEBPVP8 ')],
    ['SVG', joinBytes('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['a zip file', joinBytes('PK', [3, 4])],
  ])('refuses %s', (_, bytes) => {
    expect(detectDocumentType(bytes)).toBeUndefined();
  });

  it('reads a part of a larger buffer as that part', () => {
    const whole = joinBytes('xx%PDF-1.7\n%%EOF');
    expect(detectDocumentType(whole.subarray(2))).toBe('application/pdf');
    expect(detectDocumentType(whole.subarray(2, 12))).toBeUndefined();
  });
});

describe('validatePrescriptionDates', () => {
  const values = { today: '2026-11-21', timeZone: 'America/Tijuana' };
  const validate = (issueDate: string, expiringDate: string | null) =>
    validatePrescriptionDates({ issueDate, expiringDate, ...values });

  it('finds no error in a prescription of today, nor in one that expires today', () => {
    expect(validate('2026-11-21', null)).toEqual([]);
    expect(validate('2026-11-21', '2026-11-21')).toEqual([]);
    expect(validate('2025-12-31', '2026-11-21')).toEqual([]);
    expect(validate('2026-11-20', '2027-01-01')).toEqual([]);
  });

  it('finds an issue of tomorrow', () => {
    expect(validate('2026-11-22', null)).toEqual([{ field: 'issue_date', code: 'date_in_the_future', values }]);
  });

  it('finds a prescription that expired yesterday', () => {
    expect(validate('2026-11-01', '2026-11-20')).toEqual([
      { field: 'expiring_date', code: 'date_in_the_past', values },
    ]);
  });

  it('finds every error at once', () => {
    expect(validate('2026-11-25', '2026-11-24')).toEqual([
      { field: 'issue_date', code: 'date_in_the_future', values },
      { field: 'expiring_date', code: 'date_before_issue' },
    ]);
    expect(validate('2026-11-10', '2026-11-09')).toEqual([
      { field: 'expiring_date', code: 'date_in_the_past', values },
      { field: 'expiring_date', code: 'date_before_issue' },
    ]);
  });
});
