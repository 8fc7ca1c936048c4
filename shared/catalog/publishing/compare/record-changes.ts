import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { CatalogBucket } from '../../bucket.ts';
import { hasCurrentFormat, type Pointer, readCatalogFile } from '../../file/snapshot.ts';
import { downloadSnapshot, withTempDir } from '../versions.ts';
import { type Comparison, compareFiles, type Difference, findLost, type RecordKey } from './compare.ts';

const CHANGES = ['added', 'removed', 'changed'] as const;

/** A product that differs between two versions. */
export type ProductChange = {
  readonly id: RecordKey;
  /** The name and presentation, as the later version that has it says. */
  readonly name: string;
  readonly change: (typeof CHANGES)[number];
  /** The fields that differ, in the order of the alphabet; none of a product that was added or removed. */
  readonly fields: readonly string[];
};

/** Throws what `openCatalogFile` throws. */
export function listProductChanges(before: string, after: string, { kinds }: Difference): ProductChange[] {
  const ids = CHANGES.flatMap((change) => kinds.products[change]);
  const [former, latter] = [readProducts(before, ids), readProducts(after, ids)];
  return CHANGES.flatMap((change) =>
    kinds.products[change].map((id) => {
      const [one, other] = [former.get(id), latter.get(id)];
      return { id, name: (other ?? one)?.name ?? '', change, fields: listChangedFields(one, other) };
    }),
  );
}

type NamedProduct = { readonly name: string; readonly fields: Readonly<Record<string, unknown>> };

function listChangedFields(before: NamedProduct | undefined, after: NamedProduct | undefined): string[] {
  if (!before || !after) return [];
  const names = Object.keys({ ...before.fields, ...after.fields });
  return names.filter((name) => !isDeepStrictEqual(before.fields[name], after.fields[name])).sort();
}

const readProducts = (file: string, ids: readonly RecordKey[]): Map<RecordKey, NamedProduct> =>
  readCatalogFile(file, (database) => {
    const query = `SELECT products.id, products.content, detail, bases.content ->> 'name' AS base
      FROM products JOIN bases ON bases.id = products.base WHERE products.id IN (SELECT value FROM json_each(?))`;
    return new Map(
      Array.from(database.prepare(query).iterate(JSON.stringify(ids)), ({ id, content, detail, base }) => {
        const fields = { ...JSON.parse(String(content), withoutTimes), ...JSON.parse(String(detail)) };
        return [Number(id), { name: `${base}, ${fields.presentation}`, fields }];
      }),
    );
  });

const TIMES: ReadonlySet<string> = new Set(['created_at', 'updated_at']);
const withoutTimes = (field: string, value: unknown): unknown => (TIMES.has(field) ? undefined : value);

export type ComparedVersions = Comparison & {
  readonly products: readonly ProductChange[];
  /** The products that the later one does not know. */
  readonly forgotten: readonly number[];
};

type Versions = { readonly from: Pointer | undefined; readonly to: Pointer | undefined };

/** Compares two published versions; returns undefined if one of them is missing, damaged, or of an older format. */
export const compareVersions = ({ from, to }: Versions, bucket: CatalogBucket): Promise<ComparedVersions | undefined> =>
  withTempDir(async (temp) => {
    const before = await download(bucket, from, join(temp, 'before.sqlite'));
    const after = before && (await download(bucket, to, join(temp, 'after.sqlite')));
    const comparison = before && after && compareFiles(before, after, new Date());
    if (!comparison) return undefined;
    const products = listProductChanges(before, after, comparison.difference);
    return { ...comparison, products, forgotten: findLost(before, after) };
  });

async function download(bucket: CatalogBucket, pointer: Pointer | undefined, file: string) {
  const snapshot = pointer && (await downloadSnapshot(bucket, pointer, file));
  return snapshot && hasCurrentFormat(snapshot) ? snapshot : undefined;
}
