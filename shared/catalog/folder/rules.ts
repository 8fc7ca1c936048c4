import { normalizeCouponCode } from '../../domain/pricing.ts';
import { type CatalogFile, type CatalogRecord, catalogFileNames } from './folder.ts';
import { checkMedicines } from './medicine-rules.ts';
import type { FolderError } from './record-lines.ts';
import { type CatalogLines, folderError, type Rule, rejectIf, requireLinks, requireUnique } from './rule-forms.ts';
import { requireKnownProductKeys } from './sat-product-keys.ts';
import { rejectAmbiguousRates } from './shipping-rules.ts';

/**
 * Returns the errors between fields, records and files. An error is reported once: rules read only fields without an
 * error of their own, skip records that repeat an id, and accept references to records that have other errors.
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

const WITHOUT_IDS = ['holidays', 'sat_product_keys'] as const satisfies readonly CatalogFile[];
type FileWithIds = Exclude<CatalogFile, (typeof WITHOUT_IDS)[number]>;
const hasIds = (file: CatalogFile): file is FileWithIds => !WITHOUT_IDS.some((without) => without === file);

const IDENTITIES: readonly Rule[] = [
  ...catalogFileNames.filter(hasIds).map((file) => requireUnique(file, 'id', ({ id }) => id)),
  requireUnique('coupons', 'code', ({ code }) => code && normalizeCouponCode(code)),
  requireUnique('holidays', 'date', ({ date }) => date),
  requireUnique('sat_product_keys', 'key', ({ key }) => key),
];

const RULES: readonly Rule[] = [
  requireUnique('products', 'ean_key', ({ ean_key }) => ean_key),
  requireUnique('bases', 'medical_information.id', ({ id, medical_information: own }) => own?.id ?? (own && id)),
  requireUnique('shipping_rates', 'zip_from', toRange),
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
  rejectIf('shipping_methods', 'min_delivery_days', 'It must not be above max_delivery_days.', (method) =>
    isAbove(method.min_delivery_days, method.max_delivery_days),
  ),
  rejectIf('shipping_rates', 'zip_from', 'It must not be above zip_to.', (rate) => isAbove(rate.zip_from, rate.zip_to)),
  rejectIf('shipping_rates', 'discount', 'It must not be above the price.', (rate) =>
    isAbove(rate.discount, rate.price),
  ),
  rejectIf('shipping_rates', 'discount_from', 'It must not be after discount_until.', (rate) =>
    isAfter(rate.discount_from, rate.discount_until),
  ),
  rejectIf('coupons', 'valid_from', 'It must not be after valid_until.', (coupon) =>
    isAfter(coupon.valid_from, coupon.valid_until),
  ),
  rejectIf('coupons', 'max_redemptions_per_patient', 'It must not be above max_redemptions.', (coupon) =>
    isAbove(coupon.max_redemptions_per_patient, coupon.max_redemptions),
  ),
  rejectAmbiguousRates,
  checkMedicines,
  requireKnownProductKeys,
  rejectCategoryCycles,
  requireOnePickupMethod,
];

type Comparable = string | number | null | undefined;

function isAbove(left: Comparable, right: Comparable): boolean {
  return left != null && right != null && Number(left) > Number(right);
}

// Both times are in UTC, so their texts are in the same order as the times.
function isAfter(left: string | null | undefined, right: string | null | undefined): boolean {
  return left != null && right != null && left > right;
}

function toRange({ shipping_method: method, zip_from: from, zip_to: to }: Partial<CatalogRecord<'shipping_rates'>>) {
  return method && from && to && `${method} ${from} ${to}`;
}

function rejectCategoryCycles({ categories = [] }: CatalogLines): FolderError[] {
  const parents = new Map(categories.map(({ id, fields }) => [id, fields.parent ?? undefined]));
  const cleared = new Set<number | undefined>([undefined]);
  return categories.flatMap(({ id }) => {
    const path: (number | undefined)[] = [];
    let at = id;
    for (; !cleared.has(at) && !path.includes(at); at = parents.get(at)) path.push(at);
    for (const passed of path) cleared.add(passed);
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
    // A method whose field cannot be read may be the pickup method.
    const isUnsettled = methods.some(({ fields }) => fields.pickup === undefined);
    return isUnsettled
      ? []
      : [folderError('shipping_methods', { line: 0 }, 'pickup', 'It must be true for one method.')];
  }
  const message = `It is true for the method in line ${first.line} already.`;
  return others.map((method) => folderError('shipping_methods', method, 'pickup', message));
}
