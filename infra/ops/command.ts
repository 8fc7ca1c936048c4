import type { ParseArgsConfig } from 'node:util';
import type * as z from 'zod';
import { refusedToOperator } from '../../shared/usecases/operations/operator-refusal.ts';
import { askForShortage } from '../local/control-disk.ts';
import { type Fields, formatUsage, type OneOf, parseOptions, readInput, readNamedInput } from './input.ts';
import { nameEndedEngine } from './target/local-engines.ts';
import { explainUnset } from './terminal/explain-error.ts';
import type { INTERRUPTED } from './terminal/interrupt.ts';

/** Results go to `stdout`; progress, questions and complaints go to `stderr`. */
export type CommandIo = {
  /**
   * Its `write` may return a promise, which rejects when the text could not be written. `isTTY`: a person reads the result,
   * and no program.
   */
  readonly stdout: { readonly isTTY?: boolean; write(text: string): unknown };
  readonly stderr: { readonly isTTY?: boolean; write(text: string): unknown };
  /** `isTTY`: what is typed comes from a terminal, which shows it unless `ask` hides it. */
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  /** True when a person can see progress and answer questions. */
  readonly isTerminal: boolean;
};

/** The options that every command takes, with its streams. */
export type Call = CommandIo & {
  readonly isJson: boolean;
  readonly isLocal: boolean;
  /** The file that `--outputs` named. */
  readonly outputs?: string | undefined;
  /** Returns who runs the command, as the history of an order names them; asked before anything is written. */
  operator(): Promise<string>;
};

/** 0: done; 1: refused or failed; 2: called wrongly, and nothing was done; 130: Ctrl-C at a question. */
export type ExitCode = 0 | 1 | 2 | typeof INTERRUPTED;

/** The result of a command. Only `cli.ts` prints it, so that `--json` prints one document and nothing else. */
export type CommandResult<Document = unknown> = {
  readonly document: Document;
  /** The same for a person; without it the document is printed. */
  readonly text?: string | undefined;
  /** A remark on the text, for stderr. */
  readonly remark?: string | undefined;
  /** The reason of exit code 1, for stderr; empty when the result itself tells it. */
  readonly failure?: string | undefined;
  /** The advice if the result, which is shown only this once, could not be printed. */
  readonly unprinted?: string | undefined;
};

type Definition<Arguments extends Fields, Options extends Fields, Result> = {
  /** The words that are typed: `catalog publish`. */
  readonly name: string;
  readonly summary: string;
  /** Set if nothing is stored: the command then also runs while the disk of the local server is full. */
  readonly effect?: 'reads';
  /** An example of what follows the name: `catalogo/ --out catalog.sqlite`. */
  readonly example?: string;
  /** Lines of help about options that their names do not explain. */
  readonly details?: string;
  /** The positional arguments, in their order. */
  readonly arguments?: Arguments;
  readonly options?: Options;
  readonly oneOf?: OneOf<Extract<keyof Options, string>>;
  run(input: Input<Arguments> & Input<Options>, call: Call): Promise<Result>;
};
type Input<Of extends Fields> = { readonly [Key in keyof Of]: z.output<Of[Key]> };
type NoFields = Record<never, never>;

/** Input by its keys, as a program sends it: what is written as a text may stand as a number where it is one. */
type NamedInput<Of extends Fields> = keyof Of extends never ? unknown : NamedFields<z.input<z.ZodObject<Of>>>;
type NamedFields<Written> = { readonly [Key in keyof Written]: Named<Written[Key]> };
type Named<Written> = Written extends string ? (string extends Written ? string | number : Written) : Written;

type Described = Pick<Required<Definition<NoFields, NoFields, unknown>>, 'name' | 'summary' | 'example' | 'details'>;

export type Command<Named = never, Document = unknown> = Described & {
  /** The arguments and options as help shows them: `<folder> [--out <file>]`. */
  readonly usage: string;
  readonly options: NonNullable<ParseArgsConfig['options']>;
  /** Runs the command with the words that follow its name. */
  run(words: readonly string[], call: Call): Promise<CommandResult<Document>>;
  /** Runs the command with its input by the keys of its schemas; anything may be given, as all of it is validated. */
  runNamed(named: Named, call: Call): Promise<CommandResult<Document>>;
};

/** Makes a command: its usage, the parsing of its words and their validation derive from the schemas of its input. */
export function command<
  Result extends CommandResult,
  Arguments extends Fields = NoFields,
  Options extends Fields = NoFields,
>(definition: Definition<Arguments, Options, Result>): Command<NamedInput<Arguments & Options>, Result['document']> {
  const { name, summary, effect = 'writes', example = '', details = '' } = definition;
  const { arguments: positional = {}, options = {}, oneOf } = definition;
  const syntax = { positional, options, oneOf };
  const run = async (input: unknown, call: Call) => {
    if (effect === 'writes' && call.isLocal) await expectRoom();
    const result = definition.run(input as Input<Arguments> & Input<Options>, call);
    return call.isLocal ? nameEndedEngine(result) : result;
  };
  return {
    name,
    summary,
    example,
    details,
    usage: formatUsage(syntax),
    options: parseOptions(options),
    run: async (words, call) => run(readInput(words, syntax), call),
    runNamed: async (named, call) => run(readNamedInput(named as Readonly<Record<string, unknown>>, syntax), call),
  };
}

/** The command cannot be done: a sentence for the terminal, exit code 1. What the counter may show is `refusedToOperator`. */
export class CommandRefusal extends Error {}

async function expectRoom(): Promise<void> {
  const shortage = await askForShortage(setting('AWS_ENDPOINT_URL_API_GATEWAY'));
  if (shortage !== undefined) throw refusedToOperator('disk_short', { shortage });
}

/** Returns an environment variable. Throws a CommandRefusal if it is not set; `--local` and `--outputs` set them all. */
export function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new CommandRefusal(explainUnset([name]));
  return value;
}
