import { expect, it, vi } from 'vitest';
import { handler as runDueTasks } from '../../../functions/jobs/run-due-tasks.ts';
import { captureOutput } from '../../support/operators/output.ts';

it('both failures of the job for documents and payments are logged, and one is thrown', async () => {
  vi.stubEnv('PAYMENTS_PROVIDER', 'sandbox');
  vi.stubEnv('TABLE_NAME', undefined);
  const output = captureOutput();
  await expect(runDueTasks()).rejects.toThrow('TABLE_NAME is not set.');
  vi.restoreAllMocks();
  expect(output).toEqual([expect.stringContaining('another part of the job failed too')]);
});
