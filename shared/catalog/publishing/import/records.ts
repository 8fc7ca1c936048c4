import { toOwnBarcode } from '../../../domain/gtin.ts';
import { namesAntibiotic, needsPrescription, toGroupNumber } from '../../../domain/medicines.ts';
import { formatCents } from '../../../domain/money.ts';
import { foldText } from '../../../domain/text.ts';
import type { Draft } from './drafts.ts';
import type { FolderState, StoredBase, StoredProduct } from './folder-state.ts';
import type { Prices } from './headings.ts';
import { addIva, removeIva } from './values.ts';

const NO_LABORATORY = 'Sin laboratorio';
const NO_CATEGORY = 'Sin categoría';
const PIECE = 'H87';

/**
 * Renews the records of a folder by drafts without faults and questions; other records, and fields without a cell, stay. Also
 * returns the ids by own code, counts of products, and the rows with a price on the shelf that no price before IVA gives, or
 * without a barcode of their maker, whose products get one for use within a company.
 */
export function renewRecords(drafts: readonly Draft[], state: FolderState, prices: Prices | undefined) {
  const companies = openNames(state.companies);
  const categories = openNames(state.categories);
  const bases = openBases(state, drafts);
  const products = new Map(state.products.map((product) => [product.id, product]));
  const codes = new Map(Object.entries(state.memory.codes));
  const report = { added: 0, changed: 0, unchanged: 0, unmet_prices: [] as UnmetPrice[], own_barcodes: [] as number[] };
  const toProduct = openProducts(state, prices, report);
  for (const draft of drafts) {
    const base = bases.take(toBase(draft, companies, categories), draft.known?.base);
    const before = draft.known?.product;
    const product = renew(before, toProduct(draft, base.id));
    products.set(product.id, product);
    if (draft.values.code) codes.set(draft.values.code, product.id);
    const isUnchanged = isSame(before, product) && isSame(draft.known?.base, base);
    report[before ? (isUnchanged ? 'unchanged' : 'changed') : 'added'] += 1;
  }
  const records = {
    ...{ companies: companies.records, categories: categories.records },
    ...{ bases: byId(bases.records), products: byId(products) },
  };
  return { records, codes: Object.fromEntries([...codes].sort()), report };
}

type UnmetPrice = { readonly row: number; readonly shelf: string; readonly charged: string };

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** A record that changes loses its own time of it, as the time of publishing holds then. */
function renew<Item extends StoredBase | StoredProduct>(former: Item | undefined, record: Item): Item {
  const { updated_at, ...content } = record;
  return updated_at === undefined || isSame(former, record) ? record : (content as Item);
}

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
  const name = values.name ?? stored?.name ?? '';
  return {
    name,
    is_medicine: isMedicine,
    // Without an ingredient, publishing would not see that its sales belong into the register of antibiotics.
    ...(fraction &&
      needsPrescription(fraction) &&
      !draft.ingredient &&
      namesAntibiotic(name) && { is_antibiotic: true }),
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

/** Bases by content: a product that changes keeps its base, unless the base is that of others as it was, or by now. */
function openBases({ bases, products }: FolderState, drafts: readonly Draft[]) {
  const imported = new Set(drafts.map(({ known }) => known?.product.id));
  const kept = new Set(products.filter(({ id }) => !imported.has(id)).map(({ base }) => base));
  const records = new Map(bases.map((base) => [base.id, base]));
  const ids = new Map(bases.map((base) => [toBaseKey(base), base.id]));
  const keys = new Map<number, string>();
  let next = nextAfter(bases);
  return {
    records,
    take(content: BaseContent, own: StoredBase | undefined): StoredBase {
      const key = toBaseKey(content);
      const isFree = (id: number | undefined) => id !== undefined && (keys.get(id) ?? key) === key;
      const candidates = [ids.get(key), own && !kept.has(own.id) ? own.id : undefined];
      const id = candidates.find(isFree) ?? next++;
      const former = records.get(id);
      const isTaken = keys.has(id);
      keys.set(id, key);
      ids.set(key, id);
      const description = (isTaken && former?.description) || content.description;
      const medical = content.medical_information && { ...former?.medical_information, ...content.medical_information };
      const base =
        isTaken && former
          ? { ...former, description }
          : { id, ...former, ...content, medical_information: medical ?? null };
      const renewed = renew(former, base as StoredBase);
      records.set(id, renewed);
      return renewed;
    },
  };
}

type Findings = { readonly unmet_prices: UnmetPrice[]; readonly own_barcodes: number[] };

function openProducts({ products }: FolderState, prices: Prices | undefined, findings: Findings) {
  let next = nextAfter(products);
  return ({ row, known, values, hasIva = false, satKey = '' }: Draft, base: number): StoredProduct => {
    const former = known?.product;
    const id = former?.id ?? next++;
    const { barcode, price: shelf = null, cost, public_price, stock, image } = values;
    const net = shelf !== null && hasIva && prices === 'with-iva' ? removeIva(shelf) : shelf;
    if (shelf !== null && net !== null && net !== shelf && addIva(net) !== shelf)
      findings.unmet_prices.push({ row: row.line, shelf: formatCents(shelf), charged: formatCents(addIva(net)) });
    if (barcode === undefined && !former) findings.own_barcodes.push(row.line);
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
