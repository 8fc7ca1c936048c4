import { statSync } from 'node:fs';
import * as z from 'zod';
import { requiredText } from '../../../shared/api/fields.ts';
import {
  type Build,
  type Publication,
  type Publishing,
  publishCatalog,
  publishFile,
} from '../../../shared/catalog/publish/publish.ts';
import { refusedToOperator } from '../../../shared/usecases/operations/operator-refusal.ts';
import { type Call, type CommandResult, command } from '../command.ts';
import { flag, UsageError } from '../input.ts';
import { untilInterrupted } from '../terminal/interrupt.ts';
import { withProgress } from '../terminal/progress.ts';
import { CSV, csvFile } from './csv-option.ts';
import { differenceText, representDifference } from './difference-text.ts';
import { ALL_ERRORS, listErrors } from './folder-errors.ts';
import { dangersText, judgeDifference } from './judge.ts';
import { bulleted } from './notes.ts';
import { catalogBucket } from './published-catalog.ts';

export const catalogPublish = command({
  name: 'catalog publish',
  summary: 'Check a catalog folder, or a file that `catalog build --out` has written, and make it the current catalog',
  example: "catalogo/ --label 'Precios de diciembre'",
  details: `${CSV}  --version         refuse a file that is another version than \`catalog build\` printed
  --label           what \`catalog versions\` says of this version
  --accept          publish also what removes more than 5 % of the products, shipping rates or holidays to come,
                    changes a price more than 3 times, or removes a store, a valid coupon, a shipping method with rates
                    or all rates of one, or a client's payment method; a first catalog without products; and where the
                    current version cannot be read
${ALL_ERRORS}`,
  arguments: { folderOrFile: z.string() },
  options: {
    csv: csvFile,
    label: requiredText(100).meta({ title: 'text' }).optional(),
    version: z.string().meta({ title: 'version' }).optional(),
    accept: flag,
    all: flag,
  },
  async run({ label, accept, all, ...source }, call) {
    const author = await call.operator();
    const judge = accept ? undefined : judgeDifference;
    const publishing = { bucket: catalogBucket(), now: new Date(), label, author, judge };
    const publication = await untilInterrupted((signal) => publish(source, { ...publishing, signal }, call));
    if (publication.outcome === 'invalid') return listErrors(publication.errors, all ? 'all' : 'the first');
    if (publication.outcome === 'overtaken') throw refusedToOperator('catalog_overtaken', {});
    return publication.outcome === 'refused'
      ? describeRefused(publication, call)
      : describePublished(publication, call);
  },
});

type Source = {
  readonly folderOrFile: string;
  readonly csv: string | undefined;
  readonly version: string | undefined;
};

async function publish(
  { folderOrFile, csv, version }: Source,
  publishing: Publishing,
  call: Call,
): Promise<Publication> {
  if (statSync(folderOrFile, { throwIfNoEntry: false })?.isFile()) {
    if (csv !== undefined) throw new UsageError('--csv is for a folder: build the file with it.');
    return publishFile({ file: folderOrFile, version, ...publishing });
  }
  if (version !== undefined) throw new UsageError('--version is for a file that `catalog build --out` has written.');
  return withProgress('Publishing', call, (onProgress) =>
    publishCatalog({ folder: folderOrFile, csv, ...publishing, onProgress }),
  );
}

type Outcome<Name extends Publication['outcome']> = Exclude<
  Publication,
  { readonly outcome: Exclude<Publication['outcome'], Name> }
>;

function describeRefused(publication: Outcome<'refused'>, call: Call): CommandResult {
  return {
    document: representPublication(publication),
    text: `${describeDifference(publication, call)}\n${dangersText(publication.dangers)}`,
    failure: 'Nothing was published. If all of this is meant, publish with --accept.',
  };
}

function describePublished(publication: Outcome<'published' | 'unchanged'>, call: Call): CommandResult {
  const { outcome, version, notes } = publication;
  const sentence =
    outcome === 'published'
      ? `Published version ${version}: ${countProducts(publication)}.\n${describeDifference(publication, call)}`
      : `Version ${version} is the current catalog already: only its date is new (${countProducts(publication)}).\n`;
  return { document: representPublication(publication), text: sentence + bulleted(notes) };
}

type Compared = Outcome<'refused' | 'published'>;

const describeDifference = ({ difference }: Compared, call: Call): string =>
  difference ? differenceText(difference, call) : '';

const representPublication = ({ difference, ...publication }: Compared) => ({
  ...publication,
  difference: difference && representDifference(difference),
});

const countProducts = ({ products, withdrawn }: Build): string =>
  withdrawn === 0 ? `${products} products` : `${products} products, ${withdrawn} withdrawn`;
