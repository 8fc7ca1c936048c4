import { type Cents, type Micros, parseCents, parseMicros } from '../../domain/money.ts';

// Only a folder without errors is compiled: what these look for is there, and they throw if it is not.

/** Returns the cents of an amount. */
export function toCents(amount: string): Cents {
  return checked(parseCents(amount), amount);
}

/** Returns the micros of a rate. */
export function toMicros(rate: string): Micros {
  return checked(parseMicros(rate), rate);
}

/** Returns the record with an id. */
export function getById<Value>(records: ReadonlyMap<number, Value>, id: number): Value {
  return checked(records.get(id), id);
}

function checked<Value>(value: Value | undefined, source: string | number): Value {
  if (value === undefined) throw new Error(`an unchecked catalog: ${source}`);
  return value;
}
