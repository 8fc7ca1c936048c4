import { describe, expect, it } from 'vitest';
import {
  completeArchive,
  isCopyDue,
  listMissingParts,
  postponeCopy,
  recordCopy,
  startArchive,
} from '../../../shared/invoices/rules/issued-document.ts';
import { taxDocument } from '../../support/invoices/tax-documents.ts';

const NOON = new Date('2026-11-23T18:00:00.000Z');
const issued = taxDocument({ status: 'issued', archive: startArchive(NOON) });
const cancelled = taxDocument({ status: 'cancelled', archive: completeArchive(startArchive(NOON), NOON) });

describe('the copy of a document', () => {
  it.each([
    ['that was not issued', taxDocument(), []],
    ['that is issued', issued, ['files']],
    ['that waits for its cancellation', { ...issued, status: 'cancellation_pending' as const }, ['files']],
    ['that was cancelled', cancelled, ['files', 'receipt']],
    ['that was cancelled when its files were kept', recordCopy(cancelled, ['files']), ['receipt']],
    ['that was erased', { ...issued, archive: null }, []],
  ])('%s lacks %j', (_, document, missing) => {
    expect(listMissingParts(document)).toEqual(missing);
  });

  it('is due after a minute, and no more when it is complete', () => {
    expect(isCopyDue(issued, NOON)).toBe(false);
    expect(isCopyDue(issued, new Date('2026-11-23T18:01:00.000Z'))).toBe(true);
    expect(recordCopy(issued, ['files']).archive).toEqual({ kept: ['files'], tries: 0, dueAt: null });
    expect(isCopyDue(cancelled, NOON)).toBe(true);
    expect(recordCopy(recordCopy(cancelled, ['files']), ['files']).archive?.dueAt).toBe('2026-11-23T18:00:00.000Z');
  });

  it('is tried again after 2, 4, 8 and so on to 60 minutes, for ever', () => {
    let document = issued;
    const pauses: (string | undefined | null)[] = [];
    for (let tries = 0; tries < 7; tries++) {
      document = postponeCopy(document, NOON, 'failed');
      pauses.push(document.archive?.dueAt?.slice(11, 16));
    }
    expect(pauses).toEqual(['18:02', '18:04', '18:08', '18:16', '18:32', '19:00', '19:00']);
    for (let tries = 0; tries < 100; tries++) document = postponeCopy(document, NOON, 'failed');
    expect(document.archive?.dueAt).toBe('2026-11-23T19:00:00.000Z');
  });

  it('without a receipt is given up after 48 tries', () => {
    let document = recordCopy(cancelled, ['files']);
    for (let tries = 0; tries < 48; tries++) document = postponeCopy(document, NOON, 'not_offered');
    expect(document.archive?.dueAt).toBe('2026-11-23T19:00:00.000Z');
    expect(postponeCopy(document, NOON, 'not_offered').archive?.dueAt).toBeNull();
  });

  it('without a receipt is not given up because the provider was down for days', () => {
    let document = recordCopy(cancelled, ['files']);
    for (let tries = 0; tries < 100; tries++) document = postponeCopy(document, NOON, 'failed');
    expect(document.archive?.dueAt).toBe('2026-11-23T19:00:00.000Z');
    expect(postponeCopy(document, NOON, 'not_offered').archive?.dueAt).toBe('2026-11-23T19:00:00.000Z');
  });
});
