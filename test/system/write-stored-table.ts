import { runVitest } from '../vitest.ts';

/* Stores the orders of two-releases.test.ts with the code of today, for later releases to read: `node test/system/write-stored-table.ts`. */

process.exitCode = await runVitest(['--project=system', 'test/system/two-releases.test.ts'], { WRITE_TABLE: '1' });
