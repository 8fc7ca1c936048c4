import { parseArgs } from 'node:util';
import { Refusal } from '../../shared/domain/fault.ts';
import { say } from '../../shared/http/messages.ts';
import { enterLocalEnvironment } from '../local/environment.ts';
import { catalogCommands } from './catalog.ts';
import { clientCommands } from './clients.ts';
import { type Command, type CommandIo, CommandRefusal, type ExitCode, type Input, UsageError } from './command.ts';
import { documentCommands } from './documents.ts';
import { orderCommands } from './orders.ts';
import { userCommands } from './users.ts';

const commands: readonly Command[] = [
  ...catalogCommands,
  ...clientCommands,
  ...userCommands,
  ...orderCommands,
  ...documentCommands,
];

const LOOPBACK = new Set(['127.0.0.1', '::1']);
// These three may stand anywhere, before the command as well.
const EVERYWHERE = ['--local', '--json', '--help'];

/** Runs one command line; everything that can go wrong becomes a sentence on stderr and an exit code. */
export async function runCli(argv: readonly string[], io: CommandIo): Promise<ExitCode> {
  const flags = new Set(argv.filter((word) => EVERYWHERE.includes(word)));
  const words = argv.filter((word) => !flags.has(word));
  const found = commands.find(({ name }) => `${words.join(' ')} `.startsWith(`${name} `));
  if (!found) return withoutCommand(words, flags, io);
  if (flags.has('--help')) return print(io, commandHelp(found));
  try {
    if (flags.has('--local')) enterLocalEnvironment();
    return await found.run(inputOf(found, words, flags), io);
  } catch (error) {
    return explain(error, found, io);
  }
}

function print(io: CommandIo, text: string): ExitCode {
  io.stdout.write(text);
  return 0;
}

function withoutCommand(words: readonly string[], flags: ReadonlySet<string>, io: CommandIo): ExitCode {
  if (flags.has('--help')) return print(io, help(words[0]));
  const complaint = words.length === 0 ? 'no command given' : `unknown command "${words.slice(0, 2).join(' ')}"`;
  io.stderr.write(`${complaint}\n\n${help()}`);
  return 2;
}

const invocation = ({ name, usage }: Command): string => `${name} ${usage}`.trim();

function help(group?: string): string {
  const known = commands.filter(({ name }) => group === undefined || name.startsWith(`${group} `));
  const listed = known.length > 0 ? known : commands;
  const width = Math.max(...listed.map(({ name }) => name.length));
  const lines = listed.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}\n`);
  return `Usage: npm run ops -- <command> [--local] [--json] [--help]\n\n${lines.join('')}\n${EVERYWHERE_HELP}`;
}

const EVERYWHERE_HELP = `  --local  work on the local house instead of AWS
  --json   print the result as JSON
  --help   explain a command\n`;

const commandHelp = (each: Command): string =>
  `${each.summary}\n\nUsage: npm run ops -- ${invocation(each)}\n\n${EVERYWHERE_HELP}`;

function inputOf(found: Command, words: readonly string[], flags: ReadonlySet<string>): Input {
  const args = words.slice(found.name.split(' ').length);
  try {
    const { values, positionals } = parseArgs({ args, options: found.options, allowPositionals: true });
    return { values, positionals, isJson: flags.has('--json') };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function explain(error: unknown, found: Command, io: CommandIo): ExitCode {
  if (error instanceof UsageError) {
    io.stderr.write(`${error.message}\n\nUsage: npm run ops -- ${invocation(found)}\n`);
    return 2;
  }
  io.stderr.write(`${sentenceOf(error)}\n`);
  return 1;
}

function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof CommandRefusal) return error.message;
  if (error instanceof Refusal) return refusalSentence(error);
  if ('code' in error && error.code === 'ECONNREFUSED') return unreachable(error);
  if (error.message === 'Region is missing') return 'AWS_REGION is not set.';
  return error.name === 'Error' ? error.message : `${error.name}: ${error.message}`;
}

// A refusal says no more than a caller of the API may know; its cause says what an operator needs.
function refusalSentence({ code, faults, cause }: Refusal): string {
  if (cause) return sentenceOf(cause);
  if (faults.length === 0) return say({ code }, 'en');
  return faults.map((fault) => `${fault.path.join('.')}: ${say(fault, 'en')}`).join('\n');
}

type ConnectionError = Error & { readonly address?: string; readonly port?: number };

function unreachable(error: ConnectionError): string {
  // A name with several addresses fails with one error for each.
  const { address = '', port }: ConnectionError = error instanceof AggregateError ? error.errors[0] : error;
  const place = `${address}:${port}`;
  return LOOPBACK.has(address)
    ? `The local house is not running at ${place}: start it with \`npm start\`.`
    : `Nothing answers at ${place}.`;
}

if (import.meta.main) {
  const { stdin, stdout, stderr } = process;
  const isTerminal = stdin.isTTY === true && stderr.isTTY === true;
  process.exitCode = await runCli(process.argv.slice(2), { stdin, stdout, stderr, isTerminal });
}
