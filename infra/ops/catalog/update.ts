import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { inScratch } from '../../../shared/catalog/publish/local-files.ts';
import { type Publishing, publishCatalog } from '../../../shared/catalog/publish/publish.ts';
import { unpackCatalog } from '../../../shared/catalog/publish/unpack.ts';
import { refusedToOperator } from '../../../shared/usecases/operations/operator-refusal.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandRefusal } from '../errors.ts';
import { flag, recordId } from '../input.ts';
import { withProgress } from '../prompt.ts';
import { publishAs, publishOptions } from './publish.ts';
import { withPublishedCatalog } from './published-catalog.ts';

export const catalogUpdate = command({
  name: 'catalog update',
  summary:
    'Change or add products of the published catalog by a CSV file, whose header has names of fields; an empty cell leaves the field as it is',
  example: "precios.csv --label 'Precios de diciembre'",
  details: 'With the columns id,price it changes prices. It is refused without --accept as `catalog publish` is.\n\n',
  positional: ['csv'],
  input: z.object({ csv: z.string().describe('a CSV file'), ...publishOptions }),
  run: ({ csv, ...options }, context) =>
    publishAs({ ...options, of: 'the current version' }, context, (publishing) =>
      publishUpdate(csv, publishing, context),
    ),
});

export const catalogShortage = command({
  name: 'catalog shortage',
  summary: 'Mark products of the published catalog as out of stock, or as back',
  example: '4 15 --on',
  positional: ['products'],
  input: z.object({
    products: z.array(recordId).min(1).describe('ids of products'),
    on: flag.describe('they cannot be bought for the time being'),
    off: flag.describe('they can be bought again'),
  }),
  oneOf: { names: ['on', 'off'], isRequired: true },
  async run({ products, on }, context) {
    await refuseUnknownProducts(products);
    const label = `${on ? 'shortage of' : 'back:'} ${products.join(', ')}`.slice(0, LONGEST_LABEL);
    const rows = products.map((id) => `${id},${on}\n`);
    return inScratch(async (scratch) => {
      const csv = join(scratch, 'shortage.csv');
      writeFileSync(csv, `id,has_shortage\n${rows.join('')}`);
      const options = { label, accept: false, all: false, of: 'the current version' } as const;
      return publishAs(options, context, (publishing) => publishUpdate(csv, publishing, context));
    });
  },
});

const LONGEST_LABEL = 100;

/** Throws a CommandRefusal that names the products that the published catalog does not have. */
async function refuseUnknownProducts(ids: readonly number[]): Promise<void> {
  const unknown = await withPublishedCatalog((catalog) => ids.filter((id) => !catalog.product(id)));
  if (unknown.length > 0) throw new CommandRefusal(`The published catalog has no product ${unknown.join(', ')}.`);
}

/** Publishes the records of the current catalog, changed by a CSV file. */
const publishUpdate = (csv: string, publishing: Publishing, context: Context) =>
  withProgress('Publishing', context, (onProgress) =>
    publishCatalog({
      ...publishing,
      csv,
      onProgress,
      folder: (current, scratch) => {
        if (current === null) throw refusedToOperator('catalog_not_published', {});
        const folder = join(scratch, 'current');
        unpackCatalog(current, folder);
        return folder;
      },
    }),
  );
