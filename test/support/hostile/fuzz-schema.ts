import fc from 'fast-check';
import { normalizeText } from '../../../shared/domain/text.ts';

/** The part of JSON Schema that the OpenAPI document uses. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly { readonly required: readonly string[] }[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly format?: string;
  readonly pattern?: string;
  readonly uniqueItems?: boolean;
} & Readonly<Partial<Record<'minLength' | 'maxLength' | 'minItems' | 'maxItems' | 'minimum' | 'maximum', number>>>;

export type Meaning = {
  readonly schemas: Readonly<Record<string, Schema>>;
  /** The values of fields whose rules no schema expresses, by schema and field: `OrderDetailInput.product`. */
  readonly rules: Readonly<Record<string, fc.Arbitrary<unknown>>>;
};

const getSchemaName = (address: string): string => address.split('/').at(-1) ?? '';

/** Generates values that are valid by a schema and by the rules of its fields. */
export function validValue(schema: Schema, meaning: Meaning, place = ''): fc.Arbitrary<unknown> {
  const rule = meaning.rules[place];
  if (rule) return rule;
  if (schema.$ref) {
    const name = getSchemaName(schema.$ref);
    return validValue(meaning.schemas[name] ?? {}, meaning, name);
  }
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => validValue(one, meaning)));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (typeof schema.type === 'object')
    return fc.oneof(...schema.type.map((type) => validValue({ ...schema, type }, meaning)));
  if (schema.type === 'object') return validObject(schema, meaning, place);
  if (schema.type === 'array') return validList(schema, meaning);
  return validLeaf(schema);
}

function validObject({ properties = {}, required = [], oneOf }: Schema, meaning: Meaning, place: string) {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, validValue(field, meaning, `${place}.${name}`)]),
  );
  if (!oneOf) return fc.record(fields, { requiredKeys: [...required] });
  return fc.oneof(
    ...oneOf.map((way) =>
      fc.record(Object.fromEntries(way.required.map((name) => [name, isPresent(fields[name] ?? fc.anything())]))),
    ),
  );
}

const isPresent = (field: fc.Arbitrary<unknown>) => field.filter((value) => value !== null);

const FEW = 3;
function validList({ items = {}, minItems = 0, maxItems = 100, uniqueItems = false }: Schema, meaning: Meaning) {
  const item = validValue(items, meaning);
  if (uniqueItems) return fc.uniqueArray(item, { minLength: minItems, maxLength: maxItems });
  const listOf = (minLength: number, maxLength: number) => fc.array(item, { minLength, maxLength, size: 'max' });
  return fc.oneof(
    { weight: 19, arbitrary: listOf(minItems, Math.min(maxItems, minItems + FEW)) },
    { weight: 1, arbitrary: listOf(maxItems, maxItems) },
  );
}

const NO_ID = 9_999_999;
function validLeaf({ type, format, pattern, minimum, maximum, minLength, maxLength }: Schema): fc.Arbitrary<unknown> {
  if (type === 'null') return fc.constant(null);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return fc.integer({ min: minimum ?? -NO_ID, max: maximum ?? NO_ID });
  if (type === 'number') return fc.integer({ min: -9_000_000, max: 9_000_000 }).map((cents) => cents / 100);
  if (format === 'date') return validDate('1900-01-01', '2999-12-31');
  if (pattern) return fc.stringMatching(new RegExp(pattern));
  return validText(minLength ?? 0, maxLength ?? 50);
}

export const validDate = (first: string, last: string): fc.Arbitrary<string> =>
  fc
    .date({ min: new Date(first), max: new Date(last), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));

/** Generates trimmed texts without control characters; lengths count characters, as in JSON Schema. */
export function validText(minimum: number, maximum: number): fc.Arbitrary<string> {
  const isFit = (text: string) =>
    text.isWellFormed() && text === text.trim() && !/[\p{Cc}\ufffd]/u.test(text) && isRead(text) && isWithin(text);
  const isRead = (text: string) => minimum === 0 || /[\p{L}\p{N}]/u.test(text);
  const isWithin = (text: string) => [...text].length >= minimum && [...text].length <= maximum;
  const ofSize = (minLength: number, maxLength: number) =>
    fc.string({ unit: 'binary', minLength, maxLength, size: 'max' }).filter(isFit);
  const short = ofSize(minimum, Math.min(maximum, 12));
  const longest = fc.constantFrom('x', 'ñ', '中', '😀').map((character) => character.repeat(Math.min(maximum, 2_000)));
  return fc.oneof({ weight: 9, arbitrary: short }, { weight: 1, arbitrary: longest });
}

const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, '', ' ', 'null', [], {}, [[]], [null], [{}], { length: 1 }),
  fc.constantFrom<unknown>(0, -0, -1, 0.5, 1e21, -1e308, 2 ** 53, 32_768, 5e-324),
  fc.constantFrom<unknown>('\0', '\ud800', '\r\n', '0', '-1', '1e3', '2026-02-30', '9'.repeat(400), 'x'.repeat(3_000)),
  fc.string({ unit: 'binary' }),
  fc.array(fc.constantFrom<unknown>(1, 'a', null, {}), { minLength: 51, maxLength: 60 }),
);

/** Generates valid values with one part replaced by junk or removed. */
export function brokenValue(valid: fc.Arbitrary<unknown>, isValid: (value: unknown) => boolean): fc.Arbitrary<unknown> {
  const broken = fc.tuple(valid, fc.nat(), fc.option(junk, { nil: undefined, freq: 6 })).map(([value, nth, put]) => {
    const places = listPlaces(value, []);
    return replaceAt(value, places[nth % places.length] ?? [], put);
  });
  return broken.filter((value) => value !== undefined && !isValid(trimTexts(value)));
}

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

const listPlaces = (value: unknown, place: readonly string[]): (readonly string[])[] =>
  isObject(value)
    ? [place, ...Object.entries(value).flatMap(([name, field]) => listPlaces(field, [...place, name]))]
    : [place];

function replaceAt(value: unknown, [step, ...rest]: readonly string[], put: unknown): unknown {
  if (step === undefined || !isObject(value)) return put;
  const next = replaceAt(value[step], rest, put);
  return Array.isArray(value) ? value.with(Number(step), next ?? null) : { ...value, [step]: next };
}

/** Trims every text of a value, as the service does. */
function trimTexts(value: unknown): unknown {
  if (typeof value === 'string') return normalizeText(value).trim();
  if (Array.isArray(value)) return value.map(trimTexts);
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, field]) => [name, trimTexts(field)]))
    : value;
}
