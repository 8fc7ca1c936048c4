import type * as z from 'zod';
import type { FaultValues, FieldFault } from '../domain/fault.ts';
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
 * The faults of an input, each where it is, as message codes: the text is chosen later, in the caller's language.
 * What has the wrong type is told no more than that, and what breaks two bounds of one kind only the later, narrower one.
 */
export function faultsOf(issues: readonly Issue[], input: unknown): FieldFault[] {
  const mistyped = new Set<string>();
  const faults = new Map<string, FieldFault>();
  for (const issue of issues.flatMap(ofWayTaken)) {
    const path = issue.path as Path;
    const place = JSON.stringify(path);
    if (mistyped.has(place)) continue;
    if (issue.code === 'invalid_type') mistyped.add(place);
    const fault = { path, ...messageOf(issue, valueAt(input, path)) };
    faults.set(`${place} ${fault.code}`, fault);
  }
  return [...faults.values()];
}

/** What is wrong with a union: the faults of the one way that has the type of the input, or that it has none. */
function ofWayTaken(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const isTaken = (faults: readonly Issue[]) =>
    !faults.some(({ code, path }) => code === 'invalid_type' && !path.length);
  const taken = issue.errors.find(isTaken);
  return taken?.map((fault) => ({ ...fault, path: [...issue.path, ...fault.path] })) ?? [issue];
}

export function valueAt(input: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => (value as Record<string | number, unknown> | undefined)?.[step], input);
}

function messageOf(issue: Issue, value: unknown): { code: string; values?: FaultValues } {
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

const valuesOf = (issue: Issue): FaultValues =>
  (issue.code === 'custom' ? (issue.params as FaultValues | undefined) : undefined) ?? {};

const BOUND_CODES: Readonly<Record<string, Readonly<Record<'minimum' | 'maximum', string>>>> = {
  string: { minimum: 'too_short', maximum: 'too_long' },
  array: { minimum: 'too_few', maximum: 'too_many' },
  number: { minimum: 'too_small', maximum: 'too_big' },
};

function boundOf(origin: string, kind: 'minimum' | 'maximum', bound: number): { code: string; values?: FaultValues } {
  if (origin === 'string' && kind === 'minimum' && bound === 1) return { code: 'blank' };
  const codes = BOUND_CODES[origin] ?? BOUND_CODES.number;
  return { code: codes?.[kind] ?? 'invalid_value', values: { [kind]: bound } };
}
