import type { ParseArgsConfig, parseArgs } from 'node:util';

export type Options = NonNullable<ParseArgsConfig['options']>;

/** What a command was called with; what every command takes (`--local`, `--json` and so on) is taken out before. */
export type Input<O extends Options = Options> = {
  readonly values: ReturnType<typeof parseArgs<{ options: O }>>['values'];
  readonly positionals: readonly string[];
  /** The caller asked for JSON: one document on stdout, nothing else there. */
  readonly isJson: boolean;
  /** It works on the local server. */
  readonly isLocal: boolean;
};

/** Results go to `stdout`; progress, questions and complaints to `stderr`. */
export type CommandIo = {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly stdin: NodeJS.ReadableStream;
  /** A person sits there: progress may be drawn and questions asked. */
  readonly isTerminal: boolean;
};

/** 0: done; 1: refused or faulty; 2: called wrongly, nothing was done. */
export type ExitCode = 0 | 1 | 2;

export type Command<O extends Options = Options> = {
  /** As typed: `catalog publish`. */
  readonly name: string;
  readonly summary: string;
  /** What follows the name: `<folder> [--out <file>]`. */
  readonly usage: string;
  /** What somebody would type after the name: `catalogo/ --out catalog.sqlite`. */
  readonly example: string;
  readonly options: O;
  run(input: Input<O>, io: CommandIo): Promise<ExitCode>;
};

/** Keeps the exact type of the options, so that `input.values` is inferred from them. */
export const command = <const O extends Options>(definition: Command<O>): Command => definition;

/** The command was called wrongly: printed with its usage, exit code 2. */
export class UsageError extends Error {}

/** The command cannot be done: one sentence for the operator, exit code 1. */
export class CommandRefusal extends Error {}

/** The positional arguments, one for each name; too few or too many is a UsageError. */
export function positionals<const Names extends readonly string[]>(
  input: Input,
  ...names: Names
): { readonly [Name in keyof Names]: string } {
  const missing = names[input.positionals.length];
  if (missing !== undefined) throw new UsageError(`<${missing}> is missing`);
  const surplus = input.positionals[names.length];
  if (surplus !== undefined) throw new UsageError(`unexpected argument "${surplus}"`);
  return input.positionals as { readonly [Name in keyof Names]: string };
}

/** Prints the result of a command that was asked for JSON; such a command is done. */
export function printJson(io: CommandIo, value: unknown): ExitCode {
  io.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  return 0;
}

/** Prints what was done: as JSON if that was asked for, else in a sentence. */
export function report(result: object, sentence: string, { isJson }: Pick<Input, 'isJson'>, io: CommandIo): ExitCode {
  if (isJson) return printJson(io, result);
  io.stdout.write(`${sentence}\n`);
  return 0;
}

/** A setting that the command needs from the environment; `--local` and `--outputs` set them all. */
export function setting(name: string): string {
  const value = process.env[name];
  if (!value)
    throw new CommandRefusal(`${name} is not set (--outputs sets it for a stack, --local for the local server).`);
  return value;
}
