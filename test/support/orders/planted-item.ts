import * as z from 'zod';
import { isErased } from '../../../shared/domain/erasure.ts';
import { type Order, storedOrder } from '../../../shared/order/order.ts';

type Schema = {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly pattern?: string;
  readonly maxLength?: number;
  /** True where erasure removes it. */
  readonly isErased?: boolean;
};

// A field gets the first value that its schema accepts.
const PLANTED = ['Plantado', 'Plan', 'Pla', '19.417555', '2026-01-19T18:00:00.000Z', '12.50'];
const OTHERS = [...PLANTED.slice(-2), 'Otro', '20.123456'];

/**
 * Returns an order with planted data in every field that erasure removes; other users who placed or changed it stay. It finds
 * the fields by walking the schema, so it covers new fields too.
 */
export function plantOrder(order: Order): Order {
  // An empty registry makes Zod inline the named parts of the schema.
  const whole = z.toJSONSchema(storedOrder, {
    metadata: z.registry(),
    override: ({ zodSchema, jsonSchema }) => {
      if (isErased(zodSchema)) Object.assign(jsonSchema, { isErased: true });
    },
  }) as Schema;
  const planted = storedOrder.parse(plantValue(whole, false, order));
  const isPatient = ({ id }: Order['generatedBy']) => id === order.patient.id;
  return {
    ...planted,
    generatedBy: isPatient(order.generatedBy) ? planted.generatedBy : order.generatedBy,
    updatedBy: isPatient(order.updatedBy) ? planted.updatedBy : order.updatedBy,
  };
}

function plantValue(schema: Schema, isParentErased: boolean, value: unknown): unknown {
  const isPlanted = isParentErased || schema.isErased === true;
  if (schema.anyOf) return plantValue(schema.anyOf.find(({ type }) => type !== 'null') ?? {}, isPlanted, value);
  if (schema.type === 'array') {
    return elements(value).map((element) => plantValue(schema.items ?? {}, isPlanted, element));
  }
  if (schema.type !== 'object') {
    return isPlanted || value === undefined ? plantLeaf(schema, isPlanted ? PLANTED : OTHERS) : value;
  }
  const fields = Object.entries(schema.properties ?? {});
  return Object.fromEntries(
    fields.map(([name, field]) => [name, plantValue(field, isPlanted, (value as AnyItem | null)?.[name])]),
  );
}

type AnyItem = Readonly<Record<string, unknown>>;
const elements = (value: unknown) => (Array.isArray(value) && value.length > 0 ? value : [undefined]);

function plantLeaf(schema: Schema, texts: readonly string[]): unknown {
  const { type = [], enum: values, pattern, maxLength = Number.POSITIVE_INFINITY } = schema;
  if (values) return values.findLast((value) => value !== null);
  if (type.includes('boolean')) return true;
  if (type.includes('number') || type.includes('integer')) return 19_417;
  const text = texts.find((one) => one.length <= maxLength && (!pattern || new RegExp(pattern).test(one)));
  if (text === undefined) throw new Error(`no planted text matches ${pattern}`);
  return text;
}
