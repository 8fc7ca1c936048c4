import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { zipcode } from '../../../shared/api/fields.ts';
import { DEFAULT_RECORDS, TO_FILL_IN } from '../../../shared/catalog/publishing/folder/record-lines.ts';
import { nameState } from '../../../shared/people/rules/address.ts';
import { command } from '../command.ts';
import { CommandRefusal } from '../errors.ts';
import { writeWhole } from '../files.ts';
import { path } from '../input.ts';
import { bulleted } from '../output.ts';
import { toCommandLine } from '../target.ts';

export const catalogInit = command({
  name: 'catalog init',
  summary: 'Write the files of a catalog folder that its owner fills in: a store, a delivery rate, ways to pay',
  example: 'catalogo/ --zipcode 06700',
  details: 'Files that are there already stay as they are. README.md in the folder explains them.\n\n',
  positional: ['folder'],
  input: z.object({ folder: path('folder'), zipcode: zipcode.meta({ title: '06700' }).describe('that of the store') }),
  async run({ folder, zipcode }, context) {
    const state = nameState(zipcode);
    if (state === undefined) throw new CommandRefusal(`No state has the zip code ${zipcode}.`);
    await mkdir(folder, { recursive: true });
    const files = Object.entries(listFiles(zipcode, state)).filter(([name]) => !existsSync(join(folder, name)));
    for (const [name, content] of files) await writeWhole(join(folder, name), [content]);
    const written = files.map(([name]) => join(folder, name));
    const next = toCommandLine(`catalog import <sheet> --out ${folder}`, context);
    const text = `${bulleted(written.map((file) => `wrote ${file}`))}Fill in what says ${TO_FILL_IN}, and the phone. Next: ${next}\n`;
    return { document: { folder, files: files.map(([name]) => name) }, text };
  },
});

function listFiles(zipcode: string, state: string): Record<string, string> {
  const region = zipcode.slice(0, 2);
  const store = {
    ...{ id: 1, company_name: TO_FILL_IN, business_hours: TO_FILL_IN, name: 'Matriz', street: TO_FILL_IN },
    ...{ exterior_number: TO_FILL_IN, neighborhood: TO_FILL_IN, city: TO_FILL_IN, state, country: 'México', zipcode },
    phone: '+525500000000',
  };
  const delivery = {
    id: 2,
    company: 'Reparto a domicilio',
    method: 'default',
    min_delivery_days: 0,
    max_delivery_days: 1,
  };
  const rate = { id: 1, shipping_method: 2, zip_from: `${region}000`, zip_to: `${region}999`, price: '49.00' };
  return {
    'stores.jsonl': toLines([store]),
    'shipping_methods.jsonl': toLines([...(DEFAULT_RECORDS.shipping_methods ?? []), delivery]),
    'shipping_rates.jsonl': toLines([rate]),
    'payment_methods.jsonl': toLines(DEFAULT_RECORDS.payment_methods ?? []),
    'README.md': readFileSync(join(import.meta.dirname, 'folder-readme.md'), 'utf8'),
  };
}

const toLines = (records: readonly object[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');
