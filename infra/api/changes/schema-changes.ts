export type Json = { readonly [name: string]: unknown };
/** What a client sends, or what it is answered. */
export type Direction = 'request' | 'answer';
export type Document = { readonly components?: { readonly schemas?: Readonly<Record<string, Json>> } };

const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const CONSTRAINTS = ['pattern', 'format', 'const', 'multipleOf', 'uniqueItems', 'oneOf', 'allOf', 'not', 'prefixItems'];

/**
 * Finds what breaks a client between two schemas: a request that was good must stay good, an answer must stay within what
 * was described. A named schema is compared once in each direction, and named in place of the way that led to it.
 */
export function schemaComparison(before: Document, after: Document, direction: Direction) {
  const compared = new Set<string>();

  function schemas(where: string, old: unknown, young: unknown): string[] {
    const [from, to] = [kinds(before, old), kinds(after, young)];
    const lost = direction === 'request' ? [...from.keys()].filter((kind) => !to.has(kind)) : [];
    const gained = direction === 'answer' ? [...to.keys()].filter((kind) => !from.has(kind)) : [];
    return [
      ...lost.map((kind) => `${where}: ${kind} is no longer taken`),
      ...gained.map((kind) => `${where}: may now be ${kind}`),
      ...[...from].flatMap(([kind, schema]) => (to.has(kind) ? oneKind(where, schema, to.get(kind)) : [])),
    ];
  }

  function oneKind(where: string, old: unknown, young: unknown): string[] {
    const [from, to] = [named(before, old), named(after, young)];
    const pair = `${from.name ?? where} ${to.name ?? where}`;
    if ((from.name ?? to.name) !== undefined && compared.has(pair)) return [];
    compared.add(pair);
    return rules(from.name !== undefined && from.name === to.name ? from.name : where, from.schema, to.schema);
  }

  function rules(where: string, old: Json, young: Json): string[] {
    return [
      ...enumChanges(where, old, young, direction),
      ...boundChanges(where, old, young, direction),
      ...constraintChanges(where, old, young, direction),
      ...fields(where, old, young),
      ...inside(`${where}[]`, old.items, young.items),
      ...inside(`${where}.*`, old.additionalProperties, young.additionalProperties),
    ];
  }

  function inside(where: string, old: unknown, young: unknown): string[] {
    if (typeof old !== 'object' && typeof young !== 'object') return [];
    return schemas(where, old ?? {}, young ?? {});
  }

  function fields(where: string, old: Json, young: Json): string[] {
    const [from, to] = [record(old.properties), record(young.properties)];
    const [needed, needs] = [list(old.required), list(young.required)];
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

function named(document: Document, schema: unknown): { name?: string; schema: Json } {
  if (!isReference(schema)) return { schema: record(schema) };
  const name = schema.$ref.replace('#/components/schemas/', '');
  const found = document.components?.schemas?.[name];
  if (!found) throw new Error(`there is no schema ${schema.$ref}`);
  return { name, schema: found };
}

/** The kinds of value that a schema takes, each with what it says of that kind. */
function kinds(document: Document, schema: unknown): Map<string, unknown> {
  const { schema: own } = named(document, schema);
  const variants = (own.anyOf ?? (own.type === undefined ? own.oneOf : undefined)) as Json[] | undefined;
  if (!variants) return new Map(typesOf(own).map((type) => [type, typed(schema, own, type)]));
  const objects = variants.filter(isReference);
  // Several objects are told apart by their names.
  if (objects.length > 1) return new Map(objects.map((variant) => [named(document, variant).name ?? '', variant]));
  return new Map(variants.flatMap((variant) => [...kinds(document, variant)]));
}

const typesOf = ({ type }: Json): string[] => [type ?? 'any value'].flat() as string[];

function typed(schema: unknown, own: Json, type: string): unknown {
  if (type === 'null') return {};
  return Array.isArray(own.type) ? { ...own, type } : schema;
}

function enumChanges(where: string, old: Json, young: Json, direction: Direction): string[] {
  const [from, to] = [old.enum as unknown[] | undefined, young.enum as unknown[] | undefined];
  if (!from && !to) return [];
  if (!from) return direction === 'request' ? [`${where}: only some values are still taken`] : [];
  if (!to) return direction === 'answer' ? [`${where}: may now be any value`] : [];
  const removed = from.filter((value) => !to.includes(value)).map((value) => `${where}: ${value} removed`);
  // A client that knows every value of an answer meets one that it does not know.
  const added = to.filter((value) => !from.includes(value)).map((value) => `${where}: ${value} added`);
  return direction === 'answer' ? [...removed, ...added] : removed;
}

function boundChanges(where: string, old: Json, young: Json, direction: Direction): string[] {
  const [narrow, wide] = direction === 'request' ? [old, young] : [young, old];
  // What the wide side lets through must hold everything of the narrow one.
  const isWithin = (name: string, inner: (bound: number, limit: number) => boolean) => {
    const [bound, limit] = [narrow[name] as number | undefined, wide[name] as number | undefined];
    return limit === undefined || (bound !== undefined && inner(bound, limit));
  };
  const broken = [
    ...UPPER.filter((name) => !isWithin(name, (bound, limit) => bound <= limit)),
    ...LOWER.filter((name) => !isWithin(name, (bound, limit) => bound >= limit)),
  ];
  return broken.map((name) => `${where}: ${name} from ${old[name] ?? 'none'} to ${young[name] ?? 'none'}`);
}

function constraintChanges(where: string, old: Json, young: Json, direction: Direction): string[] {
  const source = direction === 'request' ? young : old;
  const changed = CONSTRAINTS.filter(
    (name) => source[name] !== undefined && JSON.stringify(old[name]) !== JSON.stringify(young[name]),
  );
  const isDefault = direction === 'request' && JSON.stringify(old.default) !== JSON.stringify(young.default);
  return [...changed, ...(isDefault ? ['default'] : [])].map((name) => `${where}: another ${name}`);
}
