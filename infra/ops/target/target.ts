import { enterLocalEnvironment } from '../../local/environment.ts';
import { UsageError } from '../input.ts';
import { enterCredentials } from './credentials.ts';
import { enterOutputs } from './outputs.ts';

const FLAGS = ['--local', '--json', '--help'];
const OUTPUTS = '--outputs';

/** The options that every command takes, which may stand anywhere, before the command as well, and the other words. */
export type GlobalOptions = {
  readonly words: readonly string[];
  readonly flags: ReadonlySet<string>;
  /** The file that `--outputs` names; empty if it names none. */
  readonly outputs: string | undefined;
};

export function splitGlobalOptions(argv: readonly string[]): GlobalOptions {
  const flags = new Set(argv.filter((word) => FLAGS.includes(word)));
  const words = argv.filter((word) => !flags.has(word));
  const at = words.findIndex((word) => word === OUTPUTS || word.startsWith(`${OUTPUTS}=`));
  if (at < 0) return { words, flags, outputs: undefined };
  const isApart = words[at] === OUTPUTS;
  const outputs = isApart ? words[at + 1] : words[at]?.slice(OUTPUTS.length + 1);
  return { words: words.toSpliced(at, isApart ? 2 : 1), flags, outputs: outputs ?? '' };
}

/** Points the command at the local server, at a stack, or at what the environment names. */
export async function enterTarget({ flags, outputs }: GlobalOptions): Promise<void> {
  if (flags.has('--local')) {
    if (outputs !== undefined) throw new UsageError('--local and --outputs are two places: give one of them.');
    enterLocalEnvironment();
  }
  if (outputs === '') throw new UsageError(`${OUTPUTS} needs the file that \`cdk deploy --outputs-file\` has written.`);
  if (outputs === undefined) return;
  enterOutputs(outputs);
  await enterCredentials();
}
