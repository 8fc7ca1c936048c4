import { describe, expect, it } from 'vitest';
import {
  listMissingParts,
  postponeCopy,
  recordCopy,
  scheduleCopy,
} from '../../../shared/invoices/rules/issued-document.ts';
import { startTask } from '../../../shared/invoices/rules/tasks.ts';
import { taxDocument } from '../../support/invoices/tax-documents.ts';

const NOON = new Date('2026-11-23T18:00:00.000Z');
const issued = scheduleCopy(taxDocument({ status: 'issued' }), NOON);
const cancelled = startTask(taxDocument({ status: 'cancelled' }), 'archive', NOON.toISOString());

describe('the copy of a document', () => {
  it.each([
    ['that was not issued', taxDocument(), []],
    ['that is issued', issued, ['files']],
    ['that waits for its cancellation', { ...issued, status: 'cancellation_pending' as const }, ['files']],
    ['that was cancelled', cancelled, ['files', 'receipt']],
    ['that was cancelled when its files were kept', recordCopy(cancelled, ['files']), ['receipt']],
    ['that was erased', { ...issued, tasks: {} }, []],
  ])('%s lacks %j', (_, document, missing) => {
    expect(listMissingParts(document)).toEqual(missing);
  });

  it('is due after a minute, and no more when it is complete', () => {
    expect(issued.tasks).toEqual({ archive: { tries: 0, dueAt: '2026-11-23T18:01:00.000Z' } });
    expect(recordCopy(issued, ['files'])).toMatchObject({ kept: ['files'], tasks: {} });
    const twice = recordCopy(recordCopy(cancelled, ['files']), ['files']);
    expect([twice.kept, twice.tasks.archive?.dueAt]).toEqual([['files'], '2026-11-23T18:00:00.000Z']);
  });

  it('is tried again after 2, 4, 8 and so on to 60 minutes, for ever', () => {
    let document = issued;
    for (const time of ['18:02', '18:04', '18:08', '18:16', '18:32', ...Array(100).fill('19:00')]) {
      document = postponeCopy(document, NOON, 'failed');
      expect(document.tasks.archive?.dueAt?.slice(11, 16)).toBe(time);
    }
  });

  it('without a receipt is given up after 48 tries', () => {
    let document = recordCopy(cancelled, ['files']);
    for (let tries = 0; tries < 48; tries++) document = postponeCopy(document, NOON, 'not_offered');
    expect(document.tasks.archive?.dueAt).toBe('2026-11-23T19:00:00.000Z');
    expect(postponeCopy(document, NOON, 'not_offered').tasks).toEqual({});
  });

  it('without a receipt is not given up because the provider was down for days', () => {
    let document = recordCopy(cancelled, ['files']);
    for (let tries = 0; tries < 100; tries++) document = postponeCopy(document, NOON, 'failed');
    expect(document.tasks.archive?.dueAt).toBe('2026-11-23T19:00:00.000Z');
    expect(postponeCopy(document, NOON, 'not_offered').tasks.archive?.dueAt).toBe('2026-11-23T19:00:00.000Z');
  });
});
