import { parseArgs } from 'node:util';
import { catalogCommands } from './catalog/catalog.ts';
import { clientCommands } from './clients/clients.ts';
import { type Command, type CommandIo, type ExitCode, type Input, UsageError } from './command.ts';
import { doctorCommands } from './doctor/doctor.ts';
import { commandHelp, help, invocation } from './help.ts';
import { invoiceCommands } from './invoices/invoices.ts';
import { documentCommands } from './orders/documents.ts';
import { orderCommands } from './orders/orders.ts';
import { patientCommands } from './people/patients.ts';
import { userCommands } from './people/users.ts';
import { type Everywhere, everywhereOf, place } from './target/target.ts';
import { sentenceOf } from './terminal/sentences.ts';

export const commands: readonly Command[] = [
  ...catalogCommands,
  ...clientCommands,
  ...userCommands,
  ...patientCommands,
  ...orderCommands,
  ...invoiceCommands,
  ...documentCommands,
  ...doctorCommands,
];

/** Runs one command line; everything that can go wrong becomes a sentence on stderr and an exit code. */
export async function runCli(argv: readonly string[], io: CommandIo): Promise<ExitCode> {
  const everywhere = everywhereOf(argv);
  const { words, flags } = everywhere;
  const found = commands.find(({ name }) => `${words.join(' ')} `.startsWith(`${name} `));
  if (!found) return withoutCommand(everywhere, io);
  if (flags.has('--help')) return print(io, commandHelp(found));
  try {
    await place(everywhere);
    return await found.run(inputOf(found, everywhere), io);
  } catch (error) {
    return explain(error, found, io);
  }
}

function print(io: CommandIo, text: string): ExitCode {
  io.stdout.write(text);
  return 0;
}

function withoutCommand({ words, flags }: Everywhere, io: CommandIo): ExitCode {
  if (flags.has('--help')) return print(io, help(commands, words[0]));
  const complaint = words.length === 0 ? 'no command given' : `unknown command "${words.slice(0, 2).join(' ')}"`;
  io.stderr.write(`${complaint}\n\n${help(commands)}`);
  return 2;
}

function inputOf(found: Command, { words, flags }: Everywhere): Input {
  const args = words.slice(found.name.split(' ').length);
  try {
    const { values, positionals } = parseArgs({ args, options: found.options, allowPositionals: true });
    return { values, positionals, isJson: flags.has('--json'), isLocal: flags.has('--local') };
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

if (import.meta.main) {
  const { stdin, stdout, stderr } = process;
  const isTerminal = stdin.isTTY === true && stderr.isTTY === true;
  process.exitCode = await runCli(process.argv.slice(2), { stdin, stdout, stderr, isTerminal });
}
