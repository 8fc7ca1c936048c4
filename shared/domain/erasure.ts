import * as z from 'zod';

const erasures = z.registry<{ readonly replacement: unknown }>();

/** Declares the replacement of a stored field when its patient is erased; undefined removes an optional field. */
export function erases<Schema extends z.ZodType>(schema: Schema, replacement: z.output<Schema> | undefined): Schema {
  erasures.add(schema, { replacement });
  return schema;
}

export const isErased = (schema: z.core.$ZodType): boolean => erasures.has(schema);

export function erase<Value>(schema: z.ZodType, value: Value): Value;
export function erase(schema: z.ZodType, value: unknown): unknown {
  const erasure = erasures.get(schema);
  if (erasure) return erasure.replacement;
  if (schema instanceof z.ZodArray)
    return (value as unknown[]).map((item) => erase(schema.unwrap() as z.ZodType, item));
  if (schema instanceof z.ZodObject) return eraseFields(schema.shape, value as object);
  if ('unwrap' in schema && value !== null) return erase((schema as z.ZodNullable<z.ZodType>).unwrap(), value);
  return value;
}

function eraseFields(shape: Readonly<Record<string, z.ZodType>>, stored: object): object {
  const fields = Object.entries(stored).map(([field, value]) => {
    const schema = shape[field];
    return [field, schema && value !== undefined ? erase(schema, value) : undefined];
  });
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}
