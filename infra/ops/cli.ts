import { logErrorsOnly } from '../../shared/runtime/log.ts';
import { accountingCommands } from './accounting/accounting.ts';
import { catalogCommands } from './catalog/catalog.ts';
import { clientCommands } from './clients/clients.ts';
import type { Command, CommandIo, ExitCode } from './command.ts';
import { counterCommands } from './counter/counter.ts';
import { dispensingCommands } from './dispensing/dispensing.ts';
import { doctorCommands } from './doctor/doctor.ts';
import { eventCommands } from './events/events.ts';
import { commandHelp, help, invocation } from './help.ts';
import { UsageError } from './input.ts';
import { invoiceCommands } from './invoices/invoices.ts';
import { logCommands } from './logs/logs.ts';
import { findNearest } from './nearest.ts';
import { documentCommands } from './orders/documents.ts';
import { orderCommands } from './orders/orders.ts';
import { patientCommands } from './people/patients.ts';
import { userCommands } from './people/users.ts';
import { splitGlobalOptions } from './target/global-options.ts';
import { identifyOperator } from './target/operator.ts';
import { describePlace } from './target/place.ts';
import { enterTarget } from './target/target.ts';
import { explainError } from './terminal/explain-error.ts';
import { INTERRUPTED, Interrupted } from './terminal/interrupt.ts';
import { confirmWrites, ignoreErrors, printResult } from './terminal/print.ts';
import { printable, printableLines } from './terminal/text-table.ts';
import { webhookCommands } from './webhooks/webhooks.ts';

export const commands: readonly Command[] = [
  ...catalogCommands,
  ...clientCommands,
  ...userCommands,
  ...patientCommands,
  ...orderCommands,
  ...invoiceCommands,
  ...accountingCommands,
  ...documentCommands,
  ...dispensingCommands,
  ...eventCommands,
  ...webhookCommands,
  ...counterCommands,
  ...doctorCommands,
  ...logCommands,
];

/** Runs one command line. Everything that can go wrong becomes a sentence on stderr and an exit code. */
export async function runCli(argv: readonly string[], io: CommandIo): Promise<ExitCode> {
  // Its other lines go to stdout, where the result goes.
  logErrorsOnly();
  const globalOptions = splitGlobalOptions(argv);
  const { words, flags, outputs } = globalOptions;
  const found = commands.find(({ name }) => `${words.join(' ')} `.startsWith(`${name} `));
  if (flags.has('--help')) {
    const text = found ? commandHelp(found) : help(commands, words[0]);
    return printResult({ document: undefined, text }, { ...io, isJson: false });
  }
  if (!found) return printUnknown(words, io);
  try {
    await enterTarget(globalOptions);
    const isLocal = flags.has('--local');
    const call = { ...io, isJson: flags.has('--json'), isLocal, outputs, operator: () => identifyOperator(isLocal) };
    if (io.stderr.isTTY && !call.isJson) io.stderr.write(describePlace(process.env) ?? '');
    return await printResult(await found.run(words.slice(found.name.split(' ').length), call), call);
  } catch (error) {
    return printError(error, found, io);
  }
}

function printUnknown(words: readonly string[], { stderr }: CommandIo): ExitCode {
  const typed = words.slice(0, 2).join(' ');
  const [first = ''] = words;
  const names = commands.map(({ name }) => name);
  const near = findNearest(typed, names) ?? findNearest(first, names);
  const question = near === undefined ? '' : ` Did you mean \`${near}\`?`;
  const complaint = typed ? `There is no command "${printable(typed)}".${question}` : 'No command is given.';
  const groups = names.map((name) => name.split(' ')[0] ?? '');
  const group = near?.split(' ')[0] ?? findNearest(first, groups);
  stderr.write(`${complaint}\n\n${help(commands, group)}`);
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

if (import.meta.main) {
  const { stdin, stdout, stderr } = process;
  const isTerminal = stdin.isTTY === true && stderr.isTTY === true;
  process.exitCode = await runCli(process.argv.slice(2), {
    stdin,
    stdout: confirmWrites(stdout),
    stderr: ignoreErrors(stderr),
    isTerminal,
  });
}
