/**
 * The fate of a stored field when its patient is erased. Kept: `impersonal` tells nothing of who somebody is,
 * `tax record` has to be kept by tax law, `not theirs` is a whole record of the shop or of another person. Gone: `null`,
 * `blank` and `empty` put that in its place, `dropped` leaves an optional field out. Other objects say it of each field.
 */
type Fate<Value> =
  | (null extends Value ? 'null' : never)
  | (undefined extends Value ? 'dropped' : never)
  | ('' extends Value ? 'blank' : never)
  | (Value extends readonly unknown[] ? 'empty' : never)
  | FateOfPresent<NonNullable<Value>>;

type FateOfPresent<Value> = [Value] extends [readonly (infer Element)[]]
  ? FateOfPresent<Element>
  : [Value] extends [object]
    ? Fates<Value> | 'not theirs'
    : 'impersonal' | 'tax record';

/** The fates of all fields of a stored thing: a field without one does not compile. */
export type Fates<Stored> = { readonly [Field in keyof Stored]-?: Fate<Stored[Field]> };

/** Returns the table of fields that share a fate. */
export const shareFate = <const Shared extends string, Field extends string>(fate: Shared, ...fields: Field[]) =>
  Object.fromEntries(fields.map((field) => [field, fate])) as Record<Field, Shared>;

/** Returns what is left of a stored thing after its fates; a field without a fate is left out. */
export function applyFates<Stored extends object>(stored: Stored, fates: Fates<Stored>): Stored {
  const fateOf = fates as Readonly<Record<string, AnyFate>>;
  const kept = Object.entries(stored).flatMap(([field, value]) => {
    const fate = fateOf[field] ?? 'dropped';
    return fate === 'dropped' ? [] : [[field, applyFate(value, fate)]];
  });
  return Object.fromEntries(kept);
}

type AnyFate = 'null' | 'dropped' | 'blank' | 'empty' | 'impersonal' | 'tax record' | 'not theirs' | Fates<object>;

const REPLACEMENTS = { null: null, dropped: undefined, blank: '', empty: [] } as const;

function applyFate(value: unknown, fate: AnyFate): unknown {
  if (typeof fate === 'string') return fate in REPLACEMENTS ? REPLACEMENTS[fate as keyof typeof REPLACEMENTS] : value;
  if (Array.isArray(value)) return value.map((element) => applyFate(element, fate));
  return typeof value === 'object' && value !== null ? applyFates(value, fate) : value;
}
