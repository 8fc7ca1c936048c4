import * as z from 'zod';
import { say } from '../../shared/http/messages.ts';
import { faultsOf } from '../../shared/http/validation.ts';
import { UsageError } from './command.ts';

/** The options of a command by a schema of them; whatever is missing or malformed is a UsageError that names it. */
export function validOptions<Shape extends z.ZodType>(shape: Shape, values: unknown): z.output<Shape> {
  const read = shape.safeParse(values);
  if (read.success) return read.data;
  const faults = faultsOf(read.error.issues, values);
  throw new UsageError(faults.map((fault) => `--${fault.path.join('.')}: ${say(fault, 'en')}`).join('\n'));
}

/** The id of a record, given as an option. */
export const idOption = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'not_an_integer')
  .transform(Number);
