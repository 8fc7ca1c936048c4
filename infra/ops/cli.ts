import { logErrorsOnly } from '../../shared/runtime/log.ts';
import { catalogCommands } from './catalog/catalog.ts';
import { clientCommands } from './clients/clients.ts';
import type { Call, Command, CommandIo, CommandResult, ExitCode } from './command.ts';
import { doctorCommands } from './doctor/doctor.ts';
import { commandHelp, help, invocation } from './help.ts';
import { UsageError } from './input.ts';
import { invoiceCommands } from './invoices/invoices.ts';
import { logCommands } from './logs/logs.ts';
import { documentCommands } from './orders/documents.ts';
import { orderCommands } from './orders/orders.ts';
import { patientCommands } from './people/patients.ts';
import { userCommands } from './people/users.ts';
import { identifyOperator } from './target/operator.ts';
import { enterTarget, splitGlobalOptions } from './target/target.ts';
import { explainError } from './terminal/explain-error.ts';

export const commands: readonly Command[] = [
  ...catalogCommands,
  ...clientCommands,
  ...userCommands,
  ...patientCommands,
  ...orderCommands,
  ...invoiceCommands,
  ...documentCommands,
  ...doctorCommands,
  ...logCommands,
];

/** Runs one command line. Everything that can go wrong becomes a sentence on stderr and an exit code. */
export async function runCli(argv: readonly string[], io: CommandIo): Promise<ExitCode> {
  // Its other lines go to stdout, where the result goes.
  logErrorsOnly();
  const globalOptions = splitGlobalOptions(argv);
  const { words, flags } = globalOptions;
  const found = commands.find(({ name }) => `${words.join(' ')} `.startsWith(`${name} `));
  if (flags.has('--help')) {
    io.stdout.write(found ? commandHelp(found) : help(commands, words[0]));
    return 0;
  }
  if (!found) return printUnknown(words, io);
  try {
    await enterTarget(globalOptions);
    const isLocal = flags.has('--local');
    const call = { ...io, isJson: flags.has('--json'), isLocal, operator: () => identifyOperator(isLocal) };
    return printResult(await found.run(words.slice(found.name.split(' ').length), call), call);
  } catch (error) {
    return printError(error, found, io);
  }
}

function printUnknown(words: readonly string[], { stderr }: CommandIo): ExitCode {
  const typed = words.slice(0, 2).join(' ');
  stderr.write(`${typed ? `There is no command "${typed}".` : 'No command is given.'}\n\n${help(commands)}`);
  return 2;
}

function printResult({ document, text, remark, failure }: CommandResult, { stdout, stderr, isJson }: Call): ExitCode {
  stdout.write(isJson || text === undefined ? `${JSON.stringify(document, null, 2)}\n` : text);
  if (remark && !isJson) stderr.write(`${remark}\n`);
  if (failure) stderr.write(`${failure}\n`);
  return failure === undefined ? 0 : 1;
}

function printError(error: unknown, found: Command, { stderr }: CommandIo): ExitCode {
  if (error instanceof UsageError) {
    stderr.write(`${error.message}\n\nUsage: npm run ops -- ${invocation(found)}\n`);
    return 2;
  }
  stderr.write(`${explainError(error)}\n`);
  return 1;
}

if (import.meta.main) {
  const { stdin, stdout, stderr } = process;
  const isTerminal = stdin.isTTY === true && stderr.isTTY === true;
  process.exitCode = await runCli(process.argv.slice(2), { stdin, stdout, stderr, isTerminal });
}
