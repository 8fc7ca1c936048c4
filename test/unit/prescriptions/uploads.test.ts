import { describe, expect, it } from 'vitest';
import { Refusal, unavailable } from '../../../shared/domain/refusal.ts';
import { Uploads } from '../../../shared/prescriptions/uploads.ts';
import type { Documents } from '../../../shared/store/documents.ts';

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
