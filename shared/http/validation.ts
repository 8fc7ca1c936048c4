import type * as z from 'zod';
import type { MessageValues, ValidationError } from '../domain/refusal.ts';
import { isMessageCode } from '../messages/messages.ts';

type Issue = z.core.$ZodIssue;
type Path = readonly (string | number)[];

const WRONG_TYPE: Readonly<Record<string, string>> = {
  string: 'not_text',
  number: 'not_a_number',
  int: 'not_an_integer',
  boolean: 'not_a_boolean',
  object: 'not_an_object',
  array: 'not_an_array',
};

/**
 * The errors of an input, each where it is, as message codes: the text is chosen later, in the caller's language.
 * What has the wrong type is told no more than that, and what breaks two bounds of one kind only the later, narrower one.
 */
export function toValidationErrors(issues: readonly Issue[], input: unknown): ValidationError[] {
  const mistyped = new Set<string>();
  const errors = new Map<string, ValidationError>();
  for (const issue of issues.flatMap(ofWayTaken)) {
    const path = issue.path as Path;
    const place = JSON.stringify(path);
    if (mistyped.has(place)) continue;
    if (issue.code === 'invalid_type') mistyped.add(place);
    const error = { path, ...messageOf(issue, valueAt(input, path)) };
    errors.set(`${place} ${error.code}`, error);
  }
  return [...errors.values()];
}

/** What is wrong with a union: the errors of the one way that has the type of the input, or that it has none. */
function ofWayTaken(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const isTaken = (errors: readonly Issue[]) =>
    !errors.some(({ code, path }) => code === 'invalid_type' && !path.length);
  const taken = issue.errors.find(isTaken);
  return taken?.map((error) => ({ ...error, path: [...issue.path, ...error.path] })) ?? [issue];
}

export function valueAt(input: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => (value as Record<string | number, unknown> | undefined)?.[step], input);
}

function messageOf(issue: Issue, value: unknown): { code: string; values?: MessageValues } {
  if (value === undefined) return { code: 'required' };
  if (value === null) return { code: 'not_null' };
  // A contract names the message of its own rules in place of the text.
  if (isMessageCode(issue.message)) return { code: issue.message, values: valuesOf(issue) };
  if (issue.code === 'invalid_type') return { code: WRONG_TYPE[issue.expected] ?? 'invalid_value' };
  if (issue.code === 'too_small') return boundOf(issue.origin, 'minimum', Number(issue.minimum));
  if (issue.code === 'too_big') return boundOf(issue.origin, 'maximum', Number(issue.maximum));
  if (issue.code === 'invalid_value') return { code: 'not_a_choice', values: { choices: issue.values.join(', ') } };
  return { code: 'invalid_value' };
}

const valuesOf = (issue: Issue): MessageValues =>
  (issue.code === 'custom' ? (issue.params as MessageValues | undefined) : undefined) ?? {};

const BOUND_CODES: Readonly<Record<string, Readonly<Record<'minimum' | 'maximum', string>>>> = {
  string: { minimum: 'too_short', maximum: 'too_long' },
  array: { minimum: 'too_few', maximum: 'too_many' },
  number: { minimum: 'too_small', maximum: 'too_big' },
};

function boundOf(origin: string, kind: 'minimum' | 'maximum', bound: number): { code: string; values?: MessageValues } {
  if (origin === 'string' && kind === 'minimum' && bound === 1) return { code: 'blank' };
  const codes = BOUND_CODES[origin] ?? BOUND_CODES.number;
  return { code: codes?.[kind] ?? 'invalid_value', values: { [kind]: bound } };
}
