import * as z from 'zod';
import { type Call, type CommandResult, type Context, createContext } from './context.ts';
import {
  describeSyntax,
  explainOptions,
  type Field,
  type Fields,
  formatUsage,
  type OneOf,
  readInput,
  readNamedInput,
} from './input.ts';

type Definition<Shape extends Fields, Result> = {
  readonly name: string;
  readonly summary: string;
  /** An example of what follows the name: `catalogo/ --out catalog.sqlite`. */
  readonly example?: string;
  /** Lines of help that belong to no single option; those have descriptions. */
  readonly details?: string;
  /** Every argument and option by its key; `title` names the value of an option, and its description explains it. */
  readonly input?: z.ZodObject<Shape>;
  readonly positional?: readonly Extract<keyof Shape, string>[];
  readonly oneOf?: OneOf<Extract<keyof Shape, string>>;
  /** Throws a UsageError if what is valid by itself does not go together. */
  check?(input: Input<Shape>): void;
  run(input: Input<Shape>, context: Context): Promise<Result>;
};
type Input<Shape extends Fields> = { readonly [Key in keyof Shape]: z.output<Shape[Key]> };
type NoFields = Record<never, never>;

/** Input by its keys, as a program sends it: what is written as a text may stand as a number where it is one. */
type NamedInput<Shape extends Fields> = { readonly [Key in keyof z.input<z.ZodObject<Shape>>]: unknown };

export type Command<Named = never, Document = unknown> = Required<
  Pick<Definition<NoFields, never>, 'name' | 'summary' | 'example' | 'details'>
> & {
  readonly usage: string;
  readonly fields: readonly Field[];
  run(words: readonly string[], call: Call): Promise<CommandResult<Document>>;
  /** Runs the command with its input by the keys of its schema; anything may be given, as all of it is validated. */
  runNamed(named: Named, call: Call): Promise<CommandResult<Document>>;
};

/** Makes a command: its usage, the parsing of its words and their validation derive from the schema of its input. */
export function command<Result extends CommandResult, Shape extends Fields = NoFields>(
  definition: Definition<Shape, Result>,
): Command<NamedInput<Shape>, Result['document']> {
  const { name, summary, example = '', details = '', input = z.object({}), positional = [], oneOf } = definition;
  const syntax = describeSyntax(input, positional, oneOf);
  const run = async (read: unknown, call: Call) => {
    definition.check?.(read as Input<Shape>);
    return definition.run(read as Input<Shape>, createContext(call));
  };
  return {
    name,
    summary,
    example,
    details: `${details && `${details}\n\n`}${explainOptions(syntax)}`,
    usage: formatUsage(syntax),
    fields: [...syntax.args, ...syntax.options],
    run: async (words, call) => run(readInput(words, syntax), call),
    runNamed: async (named, call) => run(readNamedInput(named as Readonly<Record<string, unknown>>, syntax), call),
  };
}
