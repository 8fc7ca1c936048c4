const FLAGS = ['--local', '--json', '--help'];
const OUTPUTS = '--outputs';

/** The names of the options that every command takes. */
export const GLOBAL_OPTIONS: readonly string[] = [...FLAGS, OUTPUTS].map((option) => option.slice('--'.length));

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
