import * as z from 'zod';
import type { Refusal } from '../../../shared/domain/refusal.ts';
import { refusedToOperator } from '../../../shared/usecases/operations/operator-refusal.ts';
import { type Call, CommandRefusal, command } from '../command.ts';
import { flag, UsageError } from '../input.ts';
import { untilInterrupted } from '../terminal/interrupt.ts';
import { withProgress } from '../terminal/progress.ts';
import { compareFolder, compareVersions, type VersionComparison } from './compare-versions.ts';
import { CSV, csvFile } from './csv-option.ts';
import { differenceText, representDifference } from './difference-text.ts';
import { ALL_ERRORS, listErrors } from './folder-errors.ts';
import { dangersText, judgeDifference, judgeVersions } from './judge.ts';
import { catalogBucket } from './published-catalog.ts';
import { recordsText } from './records-text.ts';

const version = z.string().meta({ title: 'version' }).optional();

export const catalogDiff = command({
  name: 'catalog diff',
  effect: 'reads',
  summary: 'Compare a catalog folder, or another version with --to, with the current catalog or that of --from',
  example: '--from 0123456789abcdef --to fedcba9876543210',
  arguments: { folder: z.string().optional() },
  options: { csv: csvFile, from: version, to: version, all: flag },
  details: `${CSV}  --to             compare this published version instead of a folder, and name the records that differ
${ALL_ERRORS}`,
  async run({ folder, csv, from, to, all }, call): Promise<Compared> {
    if ((folder === undefined) === (to === undefined)) throw new UsageError('Give either a folder or --to.');
    if (to !== undefined && csv !== undefined) throw new UsageError('--csv is for a folder.');
    if (to !== undefined) return diffVersions({ from, to }, call);
    return diffFolder({ folder: folder ?? '', csv, from, all }, call);
  },
});

// Inferred, the difference of versions would count as one of a folder, which has fewer fields.
type Compared = Awaited<ReturnType<typeof diffFolder> | ReturnType<typeof diffVersions>>;

type DiffedFolder = {
  readonly folder: string;
  readonly csv: string | undefined;
  readonly from: string | undefined;
  readonly all: boolean;
};

async function diffFolder({ folder, csv, from, all }: DiffedFolder, call: Call) {
  const input = { folder, csv, from, bucket: catalogBucket(), now: new Date() };
  const compared = await untilInterrupted((signal) =>
    withProgress('Comparing', call, (onProgress) => compareFolder({ ...input, onProgress, signal })),
  );
  if (compared.outcome === 'invalid') return listErrors(compared.errors, all ? 'all' : 'the first');
  if (compared.outcome !== 'compared') throw new CommandRefusal(REFUSALS[compared.outcome]);
  const dangers = await judgeDifference(compared);
  const warning = dangers.length > 0 ? `\nPublishing this needs --accept:\n${dangersText(dangers)}` : '';
  return {
    document: { from: compared.from, ...representDifference(compared.difference), dangers },
    text: `Compared with version ${compared.from}:\n${differenceText(compared.difference, call)}${warning}`,
  };
}

async function diffVersions(versions: { readonly from: string | undefined; readonly to: string }, call: Call) {
  const input = { ...versions, bucket: catalogBucket(), now: new Date() };
  const compared = await untilInterrupted((signal) => compareVersions({ ...input, signal }));
  if (compared.outcome !== 'compared') throw refuseIncomparable(compared);
  const { from, to, difference, records, forgotten } = compared;
  const dangers = await judgeVersions(compared);
  const warning =
    dangers.length > 0 ? `\nGoing from the first to the second needs --accept:\n${dangersText(dangers)}` : '';
  const text = `Version ${to} compared with ${from}:\n${differenceText(difference, call)}`;
  return {
    document: { from, to, ...representDifference(difference), records, forgotten, dangers },
    text: `${text}${recordsText(records, call)}${warning}`,
  };
}

type Incomparable = Exclude<VersionComparison, { readonly outcome: 'compared' }>;

function refuseIncomparable({ outcome, version: name }: Incomparable): Refusal {
  if (name === undefined) return refusedToOperator('catalog_not_published', {});
  return refusedToOperator(outcome === 'unknown' ? 'version_unknown' : 'snapshot_incomparable', { version: name });
}

const REFUSALS = {
  unknown: 'There is no such version, or none is current: `catalog versions` lists them.',
  damaged: 'The snapshot of this version is missing, damaged, or of an older format.',
} as const;
