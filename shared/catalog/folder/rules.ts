import { normalizeCouponCode } from '../../domain/pricing.ts';
import { type CatalogFile, type CatalogRecord, catalogFileNames } from './folder.ts';
import type { CatalogFault } from './record-lines.ts';
import { type CatalogLines, fault, type Rule, refers, unique, within } from './rule-forms.ts';

/**
 * The faults that no field shows by itself. What was reported already is left out: rules read good fields only, a
 * record with the id of an earlier one takes no part, and one that has another fault still can be referred to.
 */
export function faultsAcross(lines: CatalogLines): CatalogFault[] {
  const repeated = IDENTITIES.flatMap((rule) => rule(lines));
  const places = new Set(repeated.map(({ file, line }) => `${file} ${line}`));
  const entries = catalogFileNames.map((file) => [
    file,
    lines[file]?.filter(({ line }) => !places.has(`${file}.jsonl ${line}`)),
  ]);
  const originals = Object.fromEntries(entries) as CatalogLines;
  return [...repeated, ...RULES.flatMap((rule) => rule(originals))];
}

type FileWithIds = Exclude<CatalogFile, 'holidays'>;
const hasIds = (file: CatalogFile): file is FileWithIds => file !== 'holidays';

const IDENTITIES: readonly Rule[] = [
  ...catalogFileNames.filter(hasIds).map((file) => unique(file, 'id', ({ id }) => id)),
  unique('coupons', 'code', ({ code }) => code && normalizeCouponCode(code)),
  unique('holidays', 'date', ({ date }) => date),
];

const RULES: readonly Rule[] = [
  unique('products', 'ean_key', ({ ean_key }) => ean_key),
  unique('bases', 'medical_information.id', ({ id, medical_information: own }) => own?.id ?? (own && id)),
  unique('shipping_rates', 'zip_from', rangeOf),
  refers('categories', 'categories', ({ parent }) => [['parent', parent]]),
  refers('bases', 'categories', ({ category }) => [['category', category]]),
  refers('bases', 'companies', ({ pharmaceutical_company: company }) => [['pharmaceutical_company', company]]),
  refers('bases', 'diseases', ({ diseases = [] }) => diseases.map((id, at) => [`diseases[${at}]`, id])),
  refers('bases', 'tags', ({ tags = [] }) => tags.map((id, at) => [`tags[${at}]`, id])),
  refers('products', 'bases', ({ base }) => [['base', base]]),
  refers('products', 'suppliers', ({ current_supplier: supplier }) => [['current_supplier', supplier]]),
  refers('products', 'suppliers', ({ supplier_products: sources = [] }) =>
    sources.map(({ supplier }, at) => [`supplier_products[${at}].supplier`, supplier]),
  ),
  refers('products', 'variants', ({ product_variants: variants = [] }) =>
    variants.map(({ variant }, at) => [`product_variants[${at}].variant`, variant]),
  ),
  refers('shipping_rates', 'shipping_methods', ({ shipping_method: method }) => [['shipping_method', method]]),
  within('shipping_methods', 'min_delivery_days', 'It must not be above max_delivery_days.', (method) =>
    isAbove(method.min_delivery_days, method.max_delivery_days),
  ),
  within('shipping_rates', 'zip_from', 'It must not be above zip_to.', (rate) => isAbove(rate.zip_from, rate.zip_to)),
  within('shipping_rates', 'discount', 'It must not be above the price.', (rate) => isAbove(rate.discount, rate.price)),
  within('shipping_rates', 'discount_from', 'It must not be after discount_until.', (rate) =>
    isAfter(rate.discount_from, rate.discount_until),
  ),
  within('coupons', 'valid_from', 'It must not be after valid_until.', (coupon) =>
    isAfter(coupon.valid_from, coupon.valid_until),
  ),
  categoryCycles,
  onePickupMethod,
];

type Comparable = string | number | null | undefined;

function isAbove(left: Comparable, right: Comparable): boolean {
  return left != null && right != null && Number(left) > Number(right);
}

// Times are in UTC by now, so their texts compare as they do.
function isAfter(left: string | null | undefined, right: string | null | undefined): boolean {
  return left != null && right != null && left > right;
}

function rangeOf({ shipping_method: method, zip_from: from, zip_to: to }: Partial<CatalogRecord<'shipping_rates'>>) {
  return method && from && to && `${method} ${from} ${to}`;
}

function categoryCycles({ categories = [] }: CatalogLines): CatalogFault[] {
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
    return [fault('categories', Math.min(...lines), 'parent', `It is in a cycle: ${cycle.join(', ')}.`)];
  });
}

function onePickupMethod({ shipping_methods: methods }: CatalogLines): CatalogFault[] {
  if (methods === undefined) return [];
  const [first, ...others] = methods.filter(({ fields }) => fields.pickup);
  if (first === undefined) {
    // A method whose field cannot be read may be the one.
    const isUnsettled = methods.some(({ fields }) => fields.pickup === undefined);
    return isUnsettled ? [] : [fault('shipping_methods', 0, 'pickup', 'It must be true for one method.')];
  }
  const message = `It is true for the method in line ${first.line} already.`;
  return others.map(({ line }) => fault('shipping_methods', line, 'pickup', message));
}
