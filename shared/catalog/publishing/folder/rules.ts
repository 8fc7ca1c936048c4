import { readFileSync } from 'node:fs';
import { toGtin14 } from '../../../domain/gtin.ts';
import { needsPrescription, type SanitaryFraction, toGroupNumber } from '../../../domain/medicines.ts';
import { foldCode, foldText } from '../../../domain/text.ts';
import { findStateOfZipcode, isMexico } from '../../../people/rules/address.ts';
import { once } from '../../../runtime/async.ts';
import { type CatalogFile, type CatalogRecord, catalogFileNames } from './folder.ts';
import { type CatalogLines, type FolderError, folderError, type Placed, placeField } from './record-lines.ts';

type Rule = (lines: CatalogLines) => FolderError[];

type Fields<File extends CatalogFile> = Partial<CatalogRecord<File>>;

/** Requires unique keys within a file; reports the later ones. */
function requireUnique<File extends CatalogFile>(
  file: File,
  field: string,
  toKey: (fields: Fields<File>) => string | number | null | undefined,
): Rule {
  return (lines) => {
    const firsts = new Map<string | number, Placed>();
    return (lines[file] ?? []).flatMap((record) => {
      const key = toKey(record.fields);
      if (key == null) return [];
      const first = firsts.get(key);
      if (first === undefined) {
        firsts.set(key, record);
        return [];
      }
      const place = placeField(file, record, field);
      const { file: other, line } = placeField(file, first, field);
      const message = `It is the same as in line ${line}${other === place.file ? '' : ` of ${other}`}.`;
      return [{ ...place, field, message }];
    });
  };
}

function rejectIf<File extends CatalogFile>(
  file: File,
  field: string,
  message: string,
  isBroken: (fields: Fields<File>) => boolean,
): Rule {
  return (lines) =>
    (lines[file] ?? [])
      .filter(({ fields }) => isBroken(fields))
      .map((record) => folderError(file, record, field, message));
}

type Field<File extends CatalogFile> = keyof Fields<File> & string;

/** Rejects a number, amount, zip code or time above that of another field. */
const rejectAbove = <File extends CatalogFile>(file: File, field: Field<File>, limit: Field<File>, message: string) =>
  rejectIf(file, field, message, (fields) => toNumber(fields[field]) > toNumber(fields[limit]));

// Nothing is above what is missing.
const toNumber = (value: unknown): number =>
  typeof value === 'string' && value.includes('T') ? Date.parse(value) : Number(value ?? Number.NaN);

type Link = readonly [field: string, id: number | null | undefined];

/** Requires every id to name a record of the target file; that record may have errors. */
function requireLinks<File extends CatalogFile>(
  file: File,
  target: CatalogFile,
  listLinks: (fields: Fields<File>) => readonly Link[],
): Rule {
  return (lines) => {
    // A record with an unreadable id may be the one referred to, but hides no other error.
    const ids = new Set(lines[target]?.map((line) => line.id));
    if (lines[target] === undefined) return [];
    const isDangling = ([, id]: Link) => typeof id === 'number' && !ids.has(id);
    return (lines[file] ?? []).flatMap((record) =>
      listLinks(record.fields)
        .filter(isDangling)
        .map(([field, id]) => folderError(file, record, field, `There is no record ${id} in ${target}.jsonl.`)),
    );
  };
}

/**
 * Returns the errors across fields, records and files, each once: rules read only fields without errors of their own,
 * skip records that repeat an id, and accept references to records with other errors.
 */
export function findErrorsAcross(lines: CatalogLines): FolderError[] {
  const repetitions = IDENTITIES.flatMap((rule) => rule(lines));
  const places = new Set(repetitions.map(({ file, line }) => `${file} ${line}`));
  const entries = catalogFileNames.map((file) => [
    file,
    lines[file]?.filter(({ line, table }) => table !== undefined || !places.has(`${file}.jsonl ${line}`)),
  ]);
  const originals = Object.fromEntries(entries) as CatalogLines;
  return [...repetitions, ...RULES.flatMap((rule) => rule(originals))];
}

const IDENTITIES: readonly Rule[] = [
  ...catalogFileNames.map((file) => requireUnique(file, 'id', (fields) => ('id' in fields ? fields.id : undefined))),
  requireUnique('coupons', 'code', ({ code }) => code && foldCode(code)),
  requireUnique('holidays', 'date', ({ date }) => date),
  requireUnique('synonyms', 'active_ingredient', ({ active_ingredient: name }) => name && foldText(name)),
  requireUnique('sat_product_keys', 'key', ({ key }) => key),
];

const RULES: readonly Rule[] = [
  requireUnique('products', 'ean_key', ({ ean_key }) => ean_key && toGtin14(ean_key)),
  requireUnique('bases', 'medical_information.id', ({ id, medical_information: own }) => own?.id ?? (own && id)),
  requireUnique('shipping_rates', 'zip_from', toZipRange),
  requireLinks('categories', 'categories', ({ parent }) => [['parent', parent]]),
  requireLinks('bases', 'categories', ({ category }) => [['category', category]]),
  requireLinks('bases', 'companies', ({ pharmaceutical_company: company }) => [['pharmaceutical_company', company]]),
  requireLinks('bases', 'diseases', ({ diseases = [] }) => diseases.map((id, at) => [`diseases[${at}]`, id])),
  requireLinks('bases', 'tags', ({ tags = [] }) => tags.map((id, at) => [`tags[${at}]`, id])),
  requireLinks('products', 'bases', ({ base }) => [['base', base]]),
  requireLinks('products', 'suppliers', ({ current_supplier: supplier }) => [['current_supplier', supplier]]),
  requireLinks('products', 'suppliers', ({ supplier_products: sources = [] }) =>
    sources.map(({ supplier }, at) => [`supplier_products[${at}].supplier`, supplier]),
  ),
  requireLinks('products', 'variants', ({ product_variants: variants = [] }) =>
    variants.map(({ variant }, at) => [`product_variants[${at}].variant`, variant]),
  ),
  requireLinks('shipping_rates', 'shipping_methods', ({ shipping_method: method }) => [['shipping_method', method]]),
  rejectIf('stores', 'country', 'It must be México, where all stores are.', ({ country }) =>
    Boolean(country && !isMexico(country)),
  ),
  rejectIf('stores', 'state', 'It is another state than that of the zip code.', ({ state, zipcode }) =>
    Boolean(state && zipcode && findStateOfZipcode({ state, zipcode })),
  ),
  rejectAbove('shipping_methods', 'min_delivery_days', 'max_delivery_days', 'It must not be above max_delivery_days.'),
  rejectAbove('shipping_rates', 'zip_from', 'zip_to', 'It must not be above zip_to.'),
  rejectAbove('shipping_rates', 'discount', 'price', 'It must not be above the price.'),
  rejectAbove('shipping_rates', 'discount_from', 'discount_until', 'It must not be after discount_until.'),
  rejectAbove('coupons', 'valid_from', 'valid_until', 'It must not be after valid_until.'),
  rejectAbove('coupons', 'max_redemptions_per_patient', 'max_redemptions', 'It must not be above max_redemptions.'),
  rejectIf('payment_methods', 'collection', 'It is only for an initial_payment_status of unpaid.', (method) =>
    Boolean(method.collection && method.initial_payment_status === 'credit'),
  ),
  rejectAmbiguousRates,
  checkMedicines,
  requireListedProductKeys,
  rejectCategoryCycles,
  requireOnePickupMethod,
];

function toZipRange({ shipping_method: method, zip_from: from, zip_to: to }: Partial<CatalogRecord<'shipping_rates'>>) {
  return method && from && to && `${method} ${from} ${to}`;
}

function rejectCategoryCycles({ categories = [] }: CatalogLines): FolderError[] {
  const parents = new Map(categories.map(({ id, fields }) => [id, fields.parent ?? undefined]));
  const cleared = new Set<number | undefined>([undefined]);
  return categories.flatMap(({ id }) => {
    const path: (number | undefined)[] = [];
    let at = id;
    for (; !cleared.has(at) && !path.includes(at); at = parents.get(at)) path.push(at);
    for (const member of path) cleared.add(member);
    if (!path.includes(at)) return [];
    const cycle = path.slice(path.indexOf(at));
    const lines = categories.filter((category) => cycle.includes(category.id)).map(({ line }) => line);
    return [
      folderError('categories', { line: Math.min(...lines) }, 'parent', `It is in a cycle: ${cycle.join(', ')}.`),
    ];
  });
}

function requireOnePickupMethod({ shipping_methods: methods }: CatalogLines): FolderError[] {
  if (methods === undefined) return [];
  const [first, ...others] = methods.filter(({ fields }) => fields.pickup);
  if (first === undefined) {
    // A method with an unreadable field may be the one for pickup.
    const isUnknown = methods.some(({ fields }) => fields.pickup === undefined);
    return isUnknown ? [] : [folderError('shipping_methods', { line: 0 }, 'pickup', 'It must be true for one method.')];
  }
  const message = `It is true for the method in line ${first.line} already.`;
  return others.map((method) => folderError('shipping_methods', method, 'pickup', message));
}

type Range = { readonly line: number; readonly method: number; readonly from: number; readonly to: number };

/** Reports overlapping ranges of equal width of a method, since the narrowest applies. Equal ranges are reported elsewhere. */
function rejectAmbiguousRates({ shipping_rates: rates = [] }: CatalogLines): FolderError[] {
  const ranges = rates.flatMap(({ line, fields: { shipping_method: method, zip_from, zip_to } }): Range[] =>
    method && zip_from && zip_to && zip_from <= zip_to
      ? [{ line, method, from: Number(zip_from), to: Number(zip_to) }]
      : [],
  );
  const groups = Map.groupBy(ranges, ({ method, from, to }) => `${method} ${to - from}`);
  return [...groups.values()].flatMap((group) => findOverlaps(group));
}

function findOverlaps(group: readonly Range[]): FolderError[] {
  const ordered = group.toSorted((a, b) => a.from - b.from || a.line - b.line);
  return ordered.flatMap((range, at) => {
    const before = ordered[at - 1];
    if (!before || before.from === range.from || before.to < range.from) return [];
    const message = `It overlaps with the range in line ${before.line}, which is as wide: neither is the narrowest.`;
    return [folderError('shipping_rates', range, 'zip_from', message)];
  });
}

type Base = Partial<CatalogRecord<'bases'>>;
type Finding = readonly [field: string, message: string];

/**
 * Reports bases whose sanitary fraction is missing, misplaced, or contradicts their medical information. Ley General de Salud,
 * art. 226: every medicine has a fraction, which decides whether it is sold on prescription.
 */
function checkMedicines({ bases = [] }: CatalogLines): FolderError[] {
  return bases.flatMap((base) =>
    findFaults(base.fields).map(([field, message]) => folderError('bases', base, field, message)),
  );
}

const MISSING_FRACTION =
  'It is required for a medicine (LGS art. 226), which every base is whose is_medicine is not false.';

function findFaults(base: Base): readonly Finding[] {
  // Fields that failed validation are undefined: rules that depend on them are skipped.
  const { is_medicine, sanitary_fraction: fraction } = base;
  if (is_medicine === undefined || fraction === undefined) return [];
  if (!is_medicine) return findMedicalTraits(base);
  if (fraction === null) return [['sanitary_fraction', MISSING_FRACTION]];
  return [...compareWithMedicalInformation(fraction, base), ...checkAntibiotic(fraction, base)];
}

function findMedicalTraits({ sanitary_fraction: fraction, is_antibiotic }: Base): readonly Finding[] {
  const message = 'It is for medicines only: is_medicine is false.';
  return [...when(fraction !== null, 'sanitary_fraction', message), ...when(is_antibiotic, 'is_antibiotic', message)];
}

function compareWithMedicalInformation(
  fraction: SanitaryFraction,
  { medical_information: own }: Base,
): readonly Finding[] {
  if (own === undefined) return [];
  const isPrescribed = needsPrescription(fraction);
  const group = toGroupNumber(fraction);
  const required = `It is required for sanitary fraction ${fraction}, with its prescription.`;
  if (own === null) return when(isPrescribed, 'medical_information', required);
  return [
    ...when(
      own.requires_prescription !== isPrescribed,
      'medical_information.requires_prescription',
      `It must be ${isPrescribed} for sanitary fraction ${fraction} (LGS art. 226).`,
    ),
    ...when(
      own.group_number !== group,
      'medical_information.group_number',
      `It must be ${group}, as the sanitary fraction is ${fraction}.`,
    ),
  ];
}

// Agreement of the Secretaría de Salud on antibiotics, DOF 27 May 2010: they are sold on prescription only.
function checkAntibiotic(fraction: SanitaryFraction, { is_antibiotic }: Base): readonly Finding[] {
  const message = `It must not be true for sanitary fraction ${fraction}: antibiotics are sold on a prescription.`;
  return when(is_antibiotic && !needsPrescription(fraction), 'is_antibiotic', message);
}

const when = (isBroken: boolean | null | undefined, field: string, message: string): readonly Finding[] =>
  isBroken ? [[field, message]] : [];

/**
 * Reports products whose key is neither in the shipped SAT list nor in the shop's own, for which its accountant answers. A shop
 * without a list of its own is only told of such keys.
 */
function requireListedProductKeys({ products = [], sat_product_keys: own = [] }: CatalogLines): FolderError[] {
  const ownKeys = new Set(own.map(({ fields }) => fields.key));
  // An unreadable key may be the one that a product has.
  if (own.length === 0 || ownKeys.has(undefined)) return [];
  return products.flatMap((product) => {
    const { sat_key: key } = product.fields;
    if (key === undefined || ownKeys.has(key) || isShippedProductKey(key)) return [];
    return [folderError('products', product, 'sat_key', describeUnknownProductKey(key))];
  });
}

/** SAT's keys of a pharmacy's goods and shipping, with their names; see the file's header. */
const shippedKeys = once((): ReadonlyMap<string, string> => {
  const lines = readFileSync(new URL('sat-product-keys.tsv', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  const entries = lines.filter((line) => !line.startsWith('#')).map((line) => line.split('\t'));
  return new Map(entries.map(([key = '', name = '']) => [key, name]));
});

export const isShippedProductKey = (key: string): boolean => shippedKeys().has(key);

function describeUnknownProductKey(key: string): string {
  // A class has 00 as the last two digits.
  const classKey = `${key.slice(0, 6)}00`;
  const className = shippedKeys().get(classKey);
  const near = className === undefined ? '' : ` Its class ${classKey} (${className}) is.`;
  const ways =
    '`npx node infra/sat/write-product-keys.ts` writes all of a pharmacy, and a key of yours goes into sat_product_keys.jsonl.';
  return `It is not among SAT's keys as shipped.${near} ${ways}`;
}
