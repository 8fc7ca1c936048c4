import { enterLocalEnvironment } from '../../local/environment.ts';
import { UsageError } from '../input.ts';
import { enterCredentials } from './credentials.ts';
import type { GlobalOptions } from './global-options.ts';
import { enterOutputs } from './outputs.ts';

/** Points the command at the local server, at a stack, or at what the environment names. */
export async function enterTarget({ flags, outputs }: GlobalOptions): Promise<void> {
  if (flags.has('--local')) {
    if (outputs !== undefined) throw new UsageError('--local and --outputs are two places: give one of them.');
    enterLocalEnvironment();
  }
  if (outputs === '') throw new UsageError(`--outputs needs the file that \`cdk deploy --outputs-file\` has written.`);
  if (outputs === undefined) return;
  enterOutputs(outputs);
  await enterCredentials();
}
