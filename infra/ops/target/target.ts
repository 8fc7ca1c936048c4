import { enterLocalEnvironment } from '../../local/environment.ts';
import { UsageError } from '../command.ts';
import { enterCredentials } from './credentials.ts';
import { enterOutputs } from './outputs.ts';

const FLAGS = ['--local', '--json', '--help'];
const OUTPUTS = '--outputs';

/** A command line apart from what every command takes, which may stand anywhere, before the command as well. */
export type Everywhere = {
  readonly words: readonly string[];
  readonly flags: ReadonlySet<string>;
  /** The file that `--outputs` names; '' if it names none. */
  readonly outputs: string | undefined;
};

export function everywhereOf(argv: readonly string[]): Everywhere {
  const flags = new Set(argv.filter((word) => FLAGS.includes(word)));
  const words = argv.filter((word) => !flags.has(word));
  const at = words.findIndex((word) => word === OUTPUTS || word.startsWith(`${OUTPUTS}=`));
  if (at < 0) return { words, flags, outputs: undefined };
  const isApart = words[at] === OUTPUTS;
  const outputs = isApart ? words[at + 1] : words[at]?.slice(OUTPUTS.length + 1);
  return { words: words.toSpliced(at, isApart ? 2 : 1), flags, outputs: outputs ?? '' };
}

/** Points the command at where it has to work: the local server, a stack, or what the environment says. */
export async function place({ flags, outputs }: Everywhere): Promise<void> {
  if (flags.has('--local')) {
    if (outputs !== undefined) throw new UsageError('--local and --outputs are two places');
    enterLocalEnvironment();
  }
  if (outputs === '') throw new UsageError(`${OUTPUTS} needs the file that \`cdk deploy --outputs-file\` has written`);
  if (outputs === undefined) return;
  enterOutputs(outputs);
  await enterCredentials();
}
