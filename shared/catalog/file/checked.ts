import { type Cents, type Micros, parseCents, parseMicros } from '../../domain/money.ts';

// Only a folder without errors is compiled, so these functions throw only on a defect of this program.

/** Returns the cents of an amount. */
export function toCents(amount: string): Cents {
  return checked(parseCents(amount), amount);
}

/** Returns the micros of a coupon value. */
export function toMicros(value: string): Micros {
  return checked(parseMicros(value), value);
}

/** Returns the record with an id. */
export function getById<Value>(records: ReadonlyMap<number, Value>, id: number): Value {
  return checked(records.get(id), id);
}

function checked<Value>(value: Value | undefined, source: string | number): Value {
  if (value === undefined) throw new Error(`an unchecked catalog: ${source}`);
  return value;
}
