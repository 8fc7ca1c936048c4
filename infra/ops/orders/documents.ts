import { Documents } from '../../../shared/documents/documents.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { openTable } from '../../../shared/store/table.ts';
import { sweepDocuments } from '../../../shared/usecases/prescriptions/sweep-documents.ts';
import { type Command, command, setting } from '../command.ts';

/** Opens the documents with the credentials of an operator, which may be of any kind. */
export const openDocuments = (): Documents =>
  new Documents(setting('DOCUMENTS_BUCKET'), process.env.S3_PATH_STYLE === 'true');

const documentsSweep = command({
  name: 'documents sweep',
  summary: 'Remove documents older than 6 hours that no order has, as AWS does every hour',
  async run() {
    const sweep = await sweepDocuments(now(), { documents: openDocuments(), table: openTable() });
    const { stored, removed, failed } = sweep;
    return {
      document: sweep,
      text: `Removed ${removed} of ${stored} stored versions of documents.\n`,
      failure: failed > 0 ? `${failed} could not be removed: sweep again.` : undefined,
    };
  },
});

export const documentCommands: readonly Command[] = [documentsSweep];
