import * as z from 'zod';
import { toValidationErrors } from '../../shared/http/validation.ts';
import type { MessageCode } from '../../shared/messages/messages.ts';
import { say } from '../../shared/messages/say.ts';
import { type Input, positionals, UsageError } from './command.ts';

/** The options of a command by a schema of them; whatever is missing or malformed is a UsageError that names it. */
export function validOptions<Shape extends z.ZodType>(shape: Shape, values: unknown): z.output<Shape> {
  const read = shape.safeParse(values);
  if (read.success) return read.data;
  const errors = toValidationErrors(read.error.issues, values);
  throw new UsageError(errors.map((error) => `--${error.path.join('.')}: ${say(error, 'en')}`).join('\n'));
}

/** The id of a record, given as an option. */
export const idOption = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'not_an_integer' satisfies MessageCode)
  .transform(Number);

/** The id that is the first of the positional arguments; the others are named for the complaint that one is missing. */
export function idArgument(input: Input, name: string, ...others: readonly string[]): number {
  const [written] = positionals(input, name, ...others);
  const read = idOption.safeParse(written);
  if (read.success) return read.data;
  throw new UsageError(`<${name}> must be an id, not "${written}"`);
}
