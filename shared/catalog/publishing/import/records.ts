import { toOwnBarcode } from '../../../domain/gtin.ts';
import { needsPrescription, toGroupNumber } from '../../../domain/medicines.ts';
import { formatCents } from '../../../domain/money.ts';
import { foldText } from '../../../domain/text.ts';
import type { Draft } from './drafts.ts';
import type { FolderState, StoredBase, StoredProduct, StoredRecords } from './folder-state.ts';
import type { Prices } from './headings.ts';
import { addIva, removeIva } from './values.ts';

/** A price on the shelf, in pesos, that no price before IVA gives. */
type UnmetPrice = { readonly row: number; readonly shelf: string; readonly charged: string };

export type Renewal = {
  readonly records: StoredRecords;
  /** Ids of products by own code, folded. */
  readonly codes: Readonly<Record<string, number>>;
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly unmetPrices: readonly UnmetPrice[];
  /** Products without a barcode of their maker, which got one of the range for use within a company. */
  readonly ownBarcodes: readonly number[];
};

const NO_LABORATORY = 'Sin laboratorio';
const NO_CATEGORY = 'Sin categoría';
const PIECE = 'H87';

/** Renews the records of a folder by drafts without faults and questions. Other records, and fields without a cell, stay. */
export function renewRecords(drafts: readonly Draft[], state: FolderState, prices: Prices | undefined): Renewal {
  const companies = openNames(state.companies);
  const categories = openNames(state.categories);
  const rows = drafts.map((draft) => ({ draft, base: toBase(draft, companies, categories) }));
  const groups = [...Map.groupBy(rows, ({ base }) => toBaseKey(base)).values()];
  const bases = new Map(state.bases.map((base) => [base.id, base]));
  const products = new Map(state.products.map((product) => [product.id, product]));
  const codes = { ...state.memory.codes };
  const result = { added: 0, changed: 0, unchanged: 0, unmetPrices: [] as UnmetPrice[], ownBarcodes: [] as number[] };
  const toProduct = openProducts(state, prices, result);
  const baseIds = chooseBaseIds(groups, state);
  groups.forEach((group, at) => {
    const id = baseIds[at] ?? 0;
    const former = bases.get(id);
    const description = group.find(({ base }) => base.description)?.base.description;
    const base = mergeBase(former, { id, ...group[0]?.base, ...(description && { description }) } as StoredBase);
    bases.set(id, base);
    for (const { draft } of group) {
      const product = toProduct(draft, id);
      const before = draft.known?.product;
      products.set(product.id, product);
      if (draft.values.code) codes[draft.values.code] = product.id;
      if (!before) result.added += 1;
      else if (isSame(before, product) && isSame(former, base)) result.unchanged += 1;
      else result.changed += 1;
    }
  });
  const records = {
    companies: companies.records,
    categories: categories.records,
    bases: byId(bases),
    products: byId(products),
  };
  result.unmetPrices.sort((a, b) => a.row - b.row);
  return { ...result, records, codes: Object.fromEntries(Object.entries(codes).sort()) };
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

type Identified = { readonly id: number };
const byId = <Item extends Identified>(records: ReadonlyMap<number, Item>): Item[] =>
  [...records.values()].sort((a, b) => a.id - b.id);
const nextAfter = (records: readonly Identified[]): number =>
  records.reduce((most, { id }) => Math.max(most, id), 0) + 1;

type Name = Identified & { readonly name: string; readonly parent?: number | null | undefined };
type Names = ReturnType<typeof openNames>;

/** Records by name, whatever its case, accents and blanks; one that is new is added in the spelling that comes first. */
function openNames<Item extends Name>(stored: readonly Item[]) {
  const records: (Item | Name)[] = [...stored];
  const ids = new Map<string, number>();
  const note = ({ id, name, parent }: Name) => {
    const key = foldText(name);
    if (!ids.has(key)) ids.set(key, id);
    ids.set(`${key}\n${parent ?? ''}`, id);
  };
  for (const record of stored) note(record);
  const next = nextAfter(stored);
  return {
    records,
    /** Without `parent`, any record of the name will do. */
    take(name: string, parent?: number | null): number {
      const known = ids.get(parent === undefined ? foldText(name) : `${foldText(name)}\n${parent ?? ''}`);
      if (known !== undefined) return known;
      const record = { id: next + records.length - stored.length, name, ...(parent && { parent }) };
      records.push(record);
      note(record);
      return record.id;
    },
  };
}

type BaseContent = Omit<StoredBase, 'id'>;

function toBase(
  { values, known, isMedicine = false, ...draft }: Draft,
  companies: Names,
  categories: Names,
): BaseContent {
  const stored = known?.base;
  const fraction = isMedicine ? draft.fraction : undefined;
  return {
    name: values.name ?? stored?.name ?? '',
    is_medicine: isMedicine,
    description: values.description ?? stored?.description ?? '',
    category: takeCategory(values, categories) ?? stored?.category ?? categories.take(NO_CATEGORY),
    pharmaceutical_company:
      stored && !values.laboratory ? stored.pharmaceutical_company : companies.take(values.laboratory ?? NO_LABORATORY),
    sanitary_fraction: fraction ?? null,
    medical_information: fraction
      ? {
          active_ingredient: draft.ingredient,
          is_generic: values.generic ?? stored?.medical_information?.is_generic ?? false,
          group_number: toGroupNumber(fraction),
          requires_prescription: needsPrescription(fraction),
        }
      : null,
  };
}

function takeCategory({ department, category }: Draft['values'], categories: Names): number | undefined {
  const name = category ?? department;
  if (name === undefined) return undefined;
  if (category === undefined || department === undefined) return categories.take(name);
  const parent = categories.take(department, null);
  return foldText(department) === foldText(category) ? parent : categories.take(category, parent);
}

/** Products of the same key are presentations of one base. */
function toBaseKey({ name, is_medicine, category, pharmaceutical_company, ...base }: BaseContent): string {
  const medical = base.medical_information;
  const ingredient = foldText(medical?.active_ingredient ?? '');
  const traits = [base.sanitary_fraction, medical?.is_generic, String(is_medicine ?? true)];
  return JSON.stringify([foldText(name), category, pharmaceutical_company, ingredient, ...traits]);
}

type Row = { readonly draft: Draft; readonly base: BaseContent };

/** Keeps the base of a group's products, unless other products have it, which are not in the sheet, and it would change. */
function chooseBaseIds(groups: readonly (readonly Row[])[], { bases, products }: FolderState): number[] {
  const imported = new Set(groups.flat().map(({ draft }) => draft.known?.product.id));
  const kept = new Set(products.filter(({ id }) => !imported.has(id)).map(({ base }) => base));
  const byKey = new Map(bases.map((base) => [toBaseKey(base), base]));
  const taken = new Set<number>();
  let next = nextAfter(bases);
  return groups.map((group) => {
    const alike = byKey.get(toBaseKey(group[0]?.base ?? { name: '', category: 0, pharmaceutical_company: 0 }));
    const candidates = [...group.map(({ draft }) => draft.known?.base), alike];
    const own = candidates.find((base) => base && !taken.has(base.id) && (base === alike || !kept.has(base.id)));
    const id = own?.id ?? next++;
    taken.add(id);
    return id;
  });
}

function mergeBase(former: StoredBase | undefined, base: StoredBase): StoredBase {
  const medical = base.medical_information && { ...former?.medical_information, ...base.medical_information };
  return { ...former, ...base, medical_information: medical ?? null };
}

type Findings = { readonly unmetPrices: UnmetPrice[]; readonly ownBarcodes: number[] };

function openProducts({ products }: FolderState, prices: Prices | undefined, findings: Findings) {
  let next = nextAfter(products);
  return ({ row, known, values, hasIva = false, satKey = '' }: Draft, base: number): StoredProduct => {
    const former = known?.product;
    const id = former?.id ?? next++;
    const { barcode, price: shelf = null, cost, public_price, stock, image } = values;
    const net = shelf !== null && hasIva && prices === 'with-iva' ? removeIva(shelf) : shelf;
    if (shelf !== null && net !== null && net !== shelf && addIva(net) !== shelf)
      findings.unmetPrices.push({ row: row.line, shelf: formatCents(shelf), charged: formatCents(addIva(net)) });
    if (barcode === undefined && !former) findings.ownBarcodes.push(row.line);
    return {
      ...former,
      ...{ id, base, presentation: values.presentation ?? former?.presentation ?? '' },
      price: net === null ? (former?.price ?? '0.00') : formatCents(net),
      ...(cost !== undefined && { cost: formatCents(cost) }),
      ...(public_price !== undefined && { public_price: formatCents(public_price) }),
      has_iva: hasIva,
      ...(stock !== undefined && { has_shortage: stock <= 0 }),
      ...{ sat_key: satKey, sat_unit: values.sat_unit ?? former?.sat_unit ?? PIECE },
      ean_key: barcode ?? former?.ean_key ?? toOwnBarcode(id),
      ...(image !== undefined && { image }),
    };
  };
}
