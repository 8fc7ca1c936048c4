import * as z from 'zod';
import { compareFolder } from '../../../shared/catalog/publish/comparison.ts';
import { CommandRefusal, command } from '../command.ts';
import { flag } from '../input.ts';
import { withProgress } from '../terminal/progress.ts';
import { differenceText, representDifference } from './difference-text.ts';
import { ALL_ERRORS, listErrors } from './folder-errors.ts';
import { dangersText, judgeDifference } from './judge.ts';
import { catalogBucket } from './published-catalog.ts';

export const catalogDiff = command({
  name: 'catalog diff',
  summary: 'Compare a catalog folder with the current catalog or another version, without publishing',
  example: 'catalogo/ --from 0123456789abcdef',
  arguments: { folder: z.string() },
  options: { from: z.string().meta({ title: 'version' }).optional(), all: flag },
  details: ALL_ERRORS,
  async run({ folder, from, all }, call) {
    const compared = await withProgress('Comparing', call, (onProgress) =>
      compareFolder({ folder, from, bucket: catalogBucket(), now: new Date(), onProgress }),
    );
    if (compared.outcome === 'invalid') return listErrors(compared.errors, all ? 'all' : 'the first');
    if (compared.outcome !== 'compared') throw new CommandRefusal(REFUSALS[compared.outcome]);
    const dangers = await judgeDifference(compared);
    const warning = dangers.length > 0 ? `\nPublishing this needs --accept:\n${dangersText(dangers)}` : '';
    return {
      document: { from: compared.from, ...representDifference(compared.difference), dangers },
      text: `Compared with version ${compared.from}:\n${differenceText(compared.difference, call)}${warning}`,
    };
  },
});

const REFUSALS = {
  unknown: 'There is no such version, or none is current: `catalog versions` lists them.',
  damaged: 'The snapshot of this version is missing, damaged, or of an older format.',
} as const;
