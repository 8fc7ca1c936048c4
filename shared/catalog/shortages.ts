import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { unavailable } from '../domain/refusal.ts';
import { retry } from '../runtime/async.ts';
import { type CatalogBucket, readObject, replaceObject } from './bucket.ts';

/** The object beside the pointer with what changes by the minute; a publication leaves it as it is. */
export const SHORTAGES_KEY = 'shortages.json';

const ids = z.array(z.int());

/** Products by id, ascending. `marked`: by an operator; `soldOut`: with none left at any store that tracks them. */
const shortages = z.object({
  marked: ids.default([]),
  soldOut: ids.default([]),
  /** The products that some store tracks, each as its distance from the one before: 200,000 take 0.4 MB. */
  tracked: ids.default([]).transform(addGaps),
});
export type Shortages = z.infer<typeof shortages>;

/** Missing parts are empty. Throws for what is no such object. */
export const parseShortages = (content: unknown): Shortages => shortages.parse(content);

const formatShortages = ({ tracked, ...others }: Shortages): string =>
  JSON.stringify({ ...others, tracked: tracked.map((id, at) => id - (tracked[at - 1] ?? 0)) });

function addGaps(gaps: readonly number[]): number[] {
  let id = 0;
  return gaps.map((gap) => {
    id += gap;
    return id;
  });
}

async function readStored(bucket: CatalogBucket) {
  const stored = await readObject(bucket, SHORTAGES_KEY);
  return { etag: stored?.etag, value: parseShortages(stored ? JSON.parse(new TextDecoder().decode(stored.body)) : {}) };
}

export const readShortages = async (bucket: CatalogBucket): Promise<Shortages> => (await readStored(bucket)).value;

const PATIENCE = { tries: 20, longestPauseMs: 100 };

/** Replaces the object by what `change` makes of it, again if another writer was faster. Throws `unavailable` after 20 tries. */
export async function updateShortages(
  bucket: CatalogBucket,
  change: (before: Shortages) => Shortages | Promise<Shortages>,
): Promise<Shortages> {
  const updated = await retry(PATIENCE, async () => {
    const before = await readStored(bucket);
    const after = await change(before.value);
    if (before.etag !== undefined && isDeepStrictEqual(after, before.value)) return after;
    // The local S3 ignores conditions on PUT, so the object is read again just before.
    const isUnchanged = (await readStored(bucket)).etag === before.etag;
    const isReplaced = isUnchanged && (await replaceObject(bucket, SHORTAGES_KEY, formatShortages(after), before.etag));
    return isReplaced ? after : undefined;
  });
  if (!updated) throw unavailable();
  return updated;
}

/** Adds ids to an ascending list, or removes them. */
export function changeIds(before: readonly number[], changed: readonly number[], isIn: boolean): number[] {
  const others = new Set(changed);
  const kept = before.filter((id) => !others.has(id));
  return isIn ? [...kept, ...others].sort((a, b) => a - b) : kept;
}
