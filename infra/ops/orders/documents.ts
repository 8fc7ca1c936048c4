import { Documents } from '../../../shared/documents/documents.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { openTable } from '../../../shared/store/table.ts';
import { sweepDocuments } from '../../../shared/usecases/prescriptions/sweep-documents.ts';
import { type Command, CommandRefusal, command, positionals, printJson, setting } from '../command.ts';

/** The prescriptions, for an operator, who may have credentials of any kind. */
export const openDocuments = (): Documents =>
  new Documents(setting('DOCUMENTS_BUCKET'), process.env.S3_PATH_STYLE === 'true');

const documentsSweep = command({
  name: 'documents sweep',
  summary: 'Remove documents older than 6 hours that stand in no order, as is done every hour on AWS',
  usage: '',
  example: '',
  options: {},
  async run(input, io) {
    positionals(input);
    const sweep = await sweepDocuments(now(), { documents: openDocuments(), table: openTable() });
    const { stored, removed, failed } = sweep;
    if (input.isJson) printJson(io, sweep);
    else io.stdout.write(`Removed ${removed} of ${stored} stored versions of documents.\n`);
    if (failed > 0) throw new CommandRefusal(`${failed} could not be removed: sweep again.`);
    return 0;
  },
});

export const documentCommands: readonly Command[] = [documentsSweep];
