import type { APIGatewayProxyEvent } from 'aws-lambda';
import type * as z from 'zod';
import type { Contract } from '../api/contract.ts';
import type { ValidationError } from '../domain/refusal.ts';

type Path = ValidationError['path'];
type Schema = z.core.$ZodType;

/** Finds the parameters and body fields of a request that its contract does not have, and the parameters that are sent twice. */
export function* findIgnored({ query, body }: Contract, event: APIGatewayProxyEvent): Generator<ValidationError> {
  const values = event.multiValueQueryStringParameters ?? {};
  for (const name of Object.keys(event.queryStringParameters ?? {})) {
    if (!Object.hasOwn(query?.shape ?? {}, name)) yield { path: [shorten(name)], code: 'unknown_parameter' };
    else if ((values[name]?.length ?? 1) > 1) yield { path: [name], code: 'repeated_parameter' };
  }
  if (body) for (const path of findUnknown(body, event.body, [])) yield { path, code: 'unknown_field' };
}

/** Finds the fields that a schema does not have, at any depth; those of an object come before those inside of its fields. */
function* findUnknown(schema: Schema, input: unknown, path: Path): Generator<Path> {
  const def = unwrap(schema);
  if (def.type === 'object' && isObject(input)) {
    const names = Object.keys(input);
    for (const name of names) if (!Object.hasOwn(def.shape, name)) yield [...path, shorten(name)];
    for (const name of names) {
      const field = Object.hasOwn(def.shape, name) && def.shape[name];
      if (field) yield* findUnknown(field, input[name], [...path, name]);
    }
  }
  if (def.type === 'array' && Array.isArray(input)) {
    for (const [index, element] of input.entries()) yield* findUnknown(def.element, element, [...path, index]);
  }
  // Of the kinds of value that a union takes, one is an object.
  if (def.type === 'union') for (const option of def.options) yield* findUnknown(option, input, path);
}

type Def = z.core.$ZodTypes['_zod']['def'];

/** Returns the definition of the values that a schema takes, without what makes them optional or transforms them. */
function unwrap(schema: Schema): Def {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      return unwrap(def.innerType);
    case 'pipe':
      // The schema of a value that is prepared stands behind its preparation.
      return unwrap(def.in._zod.def.type === 'transform' ? def.out : def.in);
    default:
      return def;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

// The answer repeats the names that a caller made up, and shows so much of each.
const SHOWN_CHARACTERS = 100;

const shorten = (name: string): string =>
  name.length > SHOWN_CHARACTERS ? `${name.slice(0, SHOWN_CHARACTERS)}…`.toWellFormed() : name;
