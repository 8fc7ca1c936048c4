import { logErrorsOnly } from '../../shared/runtime/log.ts';
import { counterCommands } from '../counter/counter.ts';
import { catalogCommands } from './catalog/publish.ts';
import { clientCommands } from './clients/clients.ts';
import type { Command } from './command.ts';
import type { CommandIo, ExitCode } from './context.ts';
import { explainError, UsageError } from './errors.ts';
import { invoiceCommands } from './invoices/act.ts';
import { orderCommands } from './orders/act.ts';
import { printable, printableLines, printResult } from './output.ts';
import { userCommands } from './people/users.ts';
import { INTERRUPTED, Interrupted } from './prompt.ts';
import { stageCommands } from './stage.ts';
import { stockCommands } from './stock/stock.ts';
import { describePlace, enterTarget, identifyOperator, splitGlobalOptions } from './target.ts';
import { webhookCommands } from './webhooks/webhooks.ts';

export const commands: readonly Command[] = [
  ...catalogCommands,
  ...clientCommands,
  ...userCommands,
  ...orderCommands,
  ...invoiceCommands,
  ...stockCommands,
  ...webhookCommands,
  ...counterCommands,
  ...stageCommands,
];

/** Runs one command line. Everything that can go wrong becomes a sentence on stderr and an exit code. */
export async function runCli(argv: readonly string[], io: CommandIo): Promise<ExitCode> {
  // Its other lines go to stdout, where the result goes.
  logErrorsOnly();
  const globalOptions = splitGlobalOptions(argv);
  const { words, flags, outputs } = globalOptions;
  const found = commands.find(({ name }) => `${words.join(' ')} `.startsWith(`${name} `));
  if (flags.has('--help')) {
    const text = found ? commandHelp(found) : help(words[0]);
    return printResult({ document: undefined, text }, { ...io, isJson: false });
  }
  if (!found) return printUnknown(words, io);
  try {
    await enterTarget(globalOptions);
    const isLocal = flags.has('--local');
    const call = { ...io, isJson: flags.has('--json'), isLocal, outputs, operator: () => identifyOperator(isLocal) };
    if (io.stderr.isTTY && !call.isJson) io.stderr.write(describePlace(process.env) ?? '');
    return printResult(await found.run(words.slice(found.name.split(' ').length), call), call);
  } catch (error) {
    return printError(error, found, io);
  }
}

function printUnknown(words: readonly string[], { stderr }: CommandIo): ExitCode {
  const typed = printable(words.slice(0, 2).join(' '));
  stderr.write(`${typed ? `There is no command "${typed}".` : 'No command is given.'}\n\n${help(words[0])}`);
  return 2;
}

function printError(error: unknown, found: Command, { stderr }: CommandIo): ExitCode {
  if (error instanceof Interrupted) return INTERRUPTED;
  if (error instanceof UsageError) {
    stderr.write(`${printableLines(error.message)}\n\nUsage: npm run ops -- ${invocation(found)}\n`);
    return 2;
  }
  stderr.write(`${printableLines(explainError(error))}\n`);
  return 1;
}

const invocation = ({ name, usage }: Command): string => `${name} ${usage}`.trim();

/** Lists the commands of a group, or all of them if there is no such group. */
function help(group?: string): string {
  const known = commands.filter(({ name }) => group !== undefined && name.startsWith(`${group} `));
  const listed = known.length > 0 ? known : commands;
  const width = Math.max(...listed.map(({ name }) => name.length));
  const lines = listed.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}\n`);
  return `Usage: npm run ops -- <command> [--outputs <file> | --local] [--json] [--help]\n\n${lines.join('')}\n${EVERYWHERE}`;
}

const commandHelp = (explained: Command): string =>
  `${explained.summary}

Usage: npm run ops -- ${invocation(explained)}
Example: npm run ops -- ${`${explained.name} ${explained.example}`.trim()}

${explained.details}${EVERYWHERE}`;

const EVERYWHERE = `  --outputs <file>  work on the stack whose outputs \`cdk deploy --outputs-file <file>\` has written
  --local           work on the local server
  --json            print the result as JSON, and nothing else with npm run --silent ops -- <command>
  --help            explain a command

Without --outputs and --local, the names of table, buckets and so on are taken from the environment; credentials
come from the ordinary AWS environment (AWS_PROFILE and so on).
Exit codes: 0 done, 1 refused or failed, 2 not understood, 130 after Ctrl-C.
`;

if (import.meta.main) {
  const { stdin, stdout, stderr } = process;
  const isTerminal = stdin.isTTY === true && stderr.isTTY === true;
  // A reader of the result that has read enough, as `head`, is no failure.
  stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    stderr.write(`The result could not be printed (${code}).\n`);
    process.exitCode = 1;
  });
  stderr.on('error', () => undefined);
  process.exitCode = await runCli(process.argv.slice(2), { stdin, stdout, stderr, isTerminal });
}
