export type Json = { readonly [name: string]: unknown };
/** A client sends a request and receives an answer. */
export type Direction = 'request' | 'answer';
export type Document = { readonly components?: { readonly schemas?: Readonly<Record<string, Json>> } };

const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const CONSTRAINTS = ['pattern', 'format', 'const', 'multipleOf', 'uniqueItems', 'oneOf', 'allOf', 'not', 'prefixItems'];

/**
 * Returns a function that lists the differences between two schemas that break a client: a valid request must stay valid,
 * and an answer must stay within its old schema. Each named schema is compared once, and reported by its name.
 */
export function createComparison(before: Document, after: Document, direction: Direction) {
  const compared = new Set<string>();

  function schemas(where: string, old: unknown, current: unknown): string[] {
    const [from, to] = [splitByType(before, old), splitByType(after, current)];
    const lost = direction === 'request' ? [...from.keys()].filter((type) => !to.has(type)) : [];
    const gained = direction === 'answer' ? [...to.keys()].filter((type) => !from.has(type)) : [];
    return [
      ...lost.map((type) => `${where}: ${type} is no longer taken`),
      ...gained.map((type) => `${where}: may now be ${type}`),
      ...[...from].flatMap(([type, schema]) => (to.has(type) ? oneType(where, schema, to.get(type)) : [])),
    ];
  }

  function oneType(where: string, old: unknown, current: unknown): string[] {
    const [from, to] = [findSchema(before, old), findSchema(after, current)];
    const pair = `${from.name ?? where} ${to.name ?? where}`;
    if ((from.name ?? to.name) !== undefined && compared.has(pair)) return [];
    compared.add(pair);
    return rules(from.name !== undefined && from.name === to.name ? from.name : where, from.schema, to.schema);
  }

  function rules(where: string, old: Json, current: Json): string[] {
    return [
      ...enumChanges(where, old, current, direction),
      ...boundChanges(where, old, current, direction),
      ...constraintChanges(where, old, current, direction),
      ...fields(where, old, current),
      ...inside(`${where}[]`, old.items, current.items),
      ...inside(`${where}.*`, old.additionalProperties, current.additionalProperties),
    ];
  }

  function inside(where: string, old: unknown, current: unknown): string[] {
    if (typeof old !== 'object' && typeof current !== 'object') return [];
    return schemas(where, old ?? {}, current ?? {});
  }

  function fields(where: string, old: Json, current: Json): string[] {
    const [from, to] = [record(old.properties), record(current.properties)];
    const [needed, needs] = [list(old.required), list(current.required)];
    const removed = Object.keys(from).filter((name) => !(name in to));
    const kept = Object.keys(from).filter((name) => name in to);
    const strict = direction === 'request' ? needs.filter((name) => !needed.includes(name)) : [];
    const loose = direction === 'answer' ? needed.filter((name) => !needs.includes(name) && name in to) : [];
    return [
      ...removed.map((name) => `${where}.${name}: removed`),
      ...strict.map((name) => `${where}.${name}: now required`),
      ...loose.map((name) => `${where}.${name}: no longer always there`),
      ...kept.flatMap((name) => schemas(`${where}.${name}`, from[name], to[name])),
    ];
  }

  return schemas;
}

const isReference = (schema: unknown): schema is { $ref: string } =>
  typeof schema === 'object' && schema !== null && '$ref' in schema;
const record = (value: unknown): Json => (value ?? {}) as Json;
const list = (value: unknown): string[] => (value ?? []) as string[];

function findSchema(document: Document, schema: unknown): { name?: string; schema: Json } {
  if (!isReference(schema)) return { schema: record(schema) };
  const name = schema.$ref.replace('#/components/schemas/', '');
  const found = document.components?.schemas?.[name];
  if (!found) throw new Error(`there is no schema ${schema.$ref}`);
  return { name, schema: found };
}

/** Splits a schema into the types that it allows, each with its own schema. */
function splitByType(document: Document, schema: unknown): Map<string, unknown> {
  const { schema: own } = findSchema(document, schema);
  const variants = (own.anyOf ?? (own.type === undefined ? own.oneOf : undefined)) as Json[] | undefined;
  if (!variants) return new Map(listTypes(own).map((type) => [type, typed(schema, own, type)]));
  const objects = variants.filter(isReference);
  // Several objects are distinguished by their names.
  if (objects.length > 1) return new Map(objects.map((variant) => [findSchema(document, variant).name ?? '', variant]));
  return new Map(variants.flatMap((variant) => [...splitByType(document, variant)]));
}

const listTypes = ({ type }: Json): string[] => [type ?? 'any value'].flat() as string[];

function typed(schema: unknown, own: Json, type: string): unknown {
  if (type === 'null') return {};
  return Array.isArray(own.type) ? { ...own, type } : schema;
}

function enumChanges(where: string, old: Json, current: Json, direction: Direction): string[] {
  const [from, to] = [old.enum as unknown[] | undefined, current.enum as unknown[] | undefined];
  if (!from && !to) return [];
  if (!from) return direction === 'request' ? [`${where}: only some values are still taken`] : [];
  if (!to) return direction === 'answer' ? [`${where}: may now be any value`] : [];
  const removed = from.filter((value) => !to.includes(value)).map((value) => `${where}: ${value} removed`);
  // A client that handles every known value would receive an unknown one.
  const added = to.filter((value) => !from.includes(value)).map((value) => `${where}: ${value} added`);
  return direction === 'answer' ? [...removed, ...added] : removed;
}

function boundChanges(where: string, old: Json, current: Json, direction: Direction): string[] {
  const [narrow, wide] = direction === 'request' ? [old, current] : [current, old];
  // The bounds of the wide side must include those of the narrow side.
  const isWithin = (name: string, inner: (bound: number, limit: number) => boolean) => {
    const [bound, limit] = [narrow[name] as number | undefined, wide[name] as number | undefined];
    return limit === undefined || (bound !== undefined && inner(bound, limit));
  };
  const broken = [
    ...UPPER.filter((name) => !isWithin(name, (bound, limit) => bound <= limit)),
    ...LOWER.filter((name) => !isWithin(name, (bound, limit) => bound >= limit)),
  ];
  return broken.map((name) => `${where}: ${name} from ${old[name] ?? 'none'} to ${current[name] ?? 'none'}`);
}

function constraintChanges(where: string, old: Json, current: Json, direction: Direction): string[] {
  const source = direction === 'request' ? current : old;
  const changed = CONSTRAINTS.filter(
    (name) => source[name] !== undefined && JSON.stringify(old[name]) !== JSON.stringify(current[name]),
  );
  const isDefault = direction === 'request' && JSON.stringify(old.default) !== JSON.stringify(current.default);
  return [...changed, ...(isDefault ? ['default'] : [])].map((name) => `${where}: another ${name}`);
}
