import * as z from 'zod';
import { catalogSchemas } from '../../../shared/catalog/folder/folder.ts';
import { type Command, command } from '../command.ts';
import { UsageError } from '../errors.ts';
import { catalogDiff } from './diff.ts';
import { catalogBuild, catalogPublish } from './publish.ts';
import { catalogCoupons, catalogSearch } from './search.ts';
import { catalogShortage, catalogUpdate } from './update.ts';
import { catalogActivate, catalogVersions } from './versions.ts';

const catalogSchema = command({
  name: 'catalog schema',
  summary: 'Print the JSON Schema of a record of every file of a catalog folder, or of one of them',
  example: 'products',
  positional: ['file'],
  input: z.object({ file: z.string().optional() }),
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
  catalogUpdate,
  catalogShortage,
  catalogVersions,
  catalogActivate,
  catalogSearch,
  catalogCoupons,
];
