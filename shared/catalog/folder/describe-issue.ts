import type * as z from 'zod';

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

/** Returns a sentence for an operator on what is wrong with a field; the schemas' own sentences begin with "It". */
export function describeIssue(issue: z.core.$ZodIssue, value: unknown): string {
  if (readGiven(issue, value) === undefined) return 'It is required.';
  if (issue.code === 'too_small' && issue.origin === 'string' && issue.minimum === 1) return 'It must not be empty.';
  return issue.message.startsWith('It ') ? issue.message.replace(/[^.]$/, '$&.') : `It must be ${describe(issue)}.`;
}

function readGiven({ path }: z.core.$ZodIssue, value: unknown): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown>)[key], value);
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return TYPES[issue.expected] ?? 'of another type';
  if (issue.code === 'invalid_value') return `one of ${issue.values.join(', ')}`;
  if (issue.code === 'too_small') return `${issue.minimum} ${unit(issue.origin)}or more`;
  if (issue.code === 'too_big') return `${issue.maximum} ${unit(issue.origin)}or less`;
  return 'of another form';
}

const unit = (origin: string): string => (origin === 'string' ? 'characters ' : '');
