import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { explainFailedStart } from '../../../infra/local/free-space.ts';
import { failedStorage, LocalServerError } from '../../../infra/local/local-server-error.ts';

const NO_ROOM = `There is no room on the disk of ${tmpdir()}: make room, and start again.`;
const failed = failedStorage(tmpdir(), 'InternalFailure', undefined);
const refused = new LocalServerError('Port 3000 is in use: set PORT to a free one.');
const coded = (code: string) => Object.assign(new Error('write'), { code });

it.each([
  ['storage that failed', failed, true, NO_ROOM],
  ['storage that failed', failed, false, failed.message],
  ['another fault', refused, true, refused.message],
  ['ENOSPC', coded('ENOSPC'), false, NO_ROOM],
  ['EDQUOT as a cause', new LocalServerError('x', { cause: coded('EDQUOT') }), false, NO_ROOM],
  ['EACCES as a cause', new LocalServerError('x', { cause: coded('EACCES') }), true, 'x'],
])('explains %s, low space being %3$s', (_, error, isLow, message) => {
  expect(explainFailedStart(error, tmpdir(), { isLow: () => isLow })).toMatchObject({ message });
});
