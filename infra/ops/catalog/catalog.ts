import * as z from 'zod';
import { catalogSchemas } from '../../../shared/catalog/folder/folder.ts';
import { type Command, command } from '../command.ts';
import { UsageError } from '../input.ts';
import { catalogActivate } from './activate.ts';
import { catalogBuild } from './build.ts';
import { catalogCoupons } from './coupons.ts';
import { catalogDiff } from './diff.ts';
import { catalogPublish } from './publish.ts';
import { catalogSearch } from './search.ts';
import { catalogVersions } from './versions.ts';

const catalogSchema = command({
  name: 'catalog schema',
  effect: 'reads',
  summary: 'Print the JSON Schema of a record of every file of a catalog folder, or of one of them',
  example: 'products',
  arguments: { file: z.string().optional() },
  async run({ file }) {
    const schemas: Readonly<Record<string, unknown>> = catalogSchemas();
    if (file === undefined) return { document: schemas };
    if (Object.hasOwn(schemas, file)) return { document: schemas[file] };
    throw new UsageError(`There is no file "${file}"; there are ${Object.keys(schemas).join(', ')}.`);
  },
});

export const catalogCommands: readonly Command[] = [
  catalogSchema,
  catalogBuild,
  catalogDiff,
  catalogPublish,
  catalogVersions,
  catalogActivate,
  catalogSearch,
  catalogCoupons,
];
