import * as z from 'zod';
import type { Fates } from '../../../shared/people/person.ts';

type Schema = {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly pattern?: string;
  readonly maxLength?: number;
};
type AnyFate = string | { readonly [field: string]: AnyFate };

const KEPT = ['impersonal', 'tax record', 'not theirs'];
// A field gets the first value that its schema accepts.
const PLANTED = ['Plantado', 'Plan', 'Pla', '19.417555', '2026-01-19T18:00:00.000Z', '12.50'];
const OTHERS = ['Otro', '20.123456', ...PLANTED.slice(-2)];

/**
 * Returns a record with planted data in every field that erasure removes. It finds the fields by walking the schema, so
 * it covers new fields too. Fields that erasure keeps stay unchanged.
 */
export function plant<Stored extends object>(
  schema: z.ZodType<Stored>,
  fates: Fates<Stored> | 'blank',
  stored: Stored | null,
): Stored {
  // An empty registry makes Zod inline the named parts of the schema.
  const whole = z.toJSONSchema(schema, { metadata: z.registry() }) as Schema;
  return schema.parse(plantValue(whole, fates as AnyFate, stored));
}

function plantValue(schema: Schema, fate: AnyFate, value: unknown): unknown {
  const isKept = typeof fate === 'string' && KEPT.includes(fate);
  if (isKept && value !== undefined) return value;
  if (schema.anyOf) return plantValue(schema.anyOf.find(({ type }) => type !== 'null') ?? {}, fate, value);
  if (schema.type === 'array') return elements(value).map((element) => plantValue(schema.items ?? {}, fate, element));
  if (schema.type !== 'object') return plantLeaf(schema, fate === 'impersonal' ? OTHERS : PLANTED);
  const fields = Object.entries(schema.properties ?? {});
  return Object.fromEntries(
    fields.map(([name, field]) => [name, plantValue(field, getFate(fate, name), (value as AnyItem | null)?.[name])]),
  );
}

type AnyItem = Readonly<Record<string, unknown>>;
const elements = (value: unknown) => (Array.isArray(value) && value.length > 0 ? value : [undefined]);

function getFate(fate: AnyFate, field: string): AnyFate {
  if (typeof fate === 'string') return fate;
  const own = fate[field];
  if (own === undefined) throw new Error(`the field ${field} has no fate`);
  return own;
}

function plantLeaf(schema: Schema, texts: readonly string[]): unknown {
  const { type = [], enum: values, pattern, maxLength = Number.POSITIVE_INFINITY } = schema;
  if (values) return values.findLast((value) => value !== null);
  if (type.includes('boolean')) return true;
  if (type.includes('number') || type.includes('integer')) return 19_417;
  const text = texts.find((one) => one.length <= maxLength && (!pattern || new RegExp(pattern).test(one)));
  if (text === undefined) throw new Error(`no planted text matches ${pattern}`);
  return text;
}
