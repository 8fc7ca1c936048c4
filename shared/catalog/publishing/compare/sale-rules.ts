import type { Product } from '../../../api/catalog/products.ts';
import { toGtin14 } from '../../../domain/gtin.ts';
import { toGroupNumber } from '../../../domain/medicines.ts';
import type { PublishedBase } from '../../file/records.ts';
import { readCatalogFile } from '../../file/snapshot.ts';

type SaleRule = {
  readonly id: number;
  readonly gtin: string;
  readonly base: number | undefined;
  /** The number of its sanitary fraction, higher for milder ones; 7 for products that are no medicine. */
  readonly mildness: number;
  readonly isPrescribed: boolean;
};

/**
 * Returns the products that a later catalog file moves to another base or sells more freely: with a milder sanitary fraction or
 * without a prescription. A product is the same by id or barcode; earlier ones include the withdrawn.
 */
export function findLessRestricted(before: string, after: string): number[] {
  const earlier = [...readWithdrawnRules(before), ...readPublishedRules(before)];
  const byId = new Map(earlier.map((rule) => [rule.id, rule]));
  const byGtin = new Map(earlier.map((rule) => [rule.gtin, rule]));
  const isFreer = (next: SaleRule, last: SaleRule | undefined): boolean =>
    last !== undefined && (last.mildness < next.mildness || (last.isPrescribed && !next.isPrescribed));
  return readPublishedRules(after)
    .filter((next) => {
      const last = byId.get(next.id);
      const isMoved = last !== undefined && last.base !== next.base;
      return isMoved || isFreer(next, last) || isFreer(next, byGtin.get(next.gtin));
    })
    .map(({ id }) => id);
}

function readPublishedRules(file: string): SaleRule[] {
  const select = `SELECT products.id, products.gtin, bases.content AS base
    FROM products JOIN bases ON bases.id = products.base ORDER BY products.id`;
  const rows = readCatalogFile(file, (database) => database.prepare(select).all());
  return rows.map(({ id, gtin, base }) => toSaleRule(Number(id), String(gtin), JSON.parse(String(base))));
}

function readWithdrawnRules(file: string): SaleRule[] {
  const rows = readCatalogFile(file, (database) => database.prepare('SELECT content FROM withdrawn').all());
  return rows.map(({ content }) => {
    const product: Product = JSON.parse(String(content));
    return toSaleRule(product.id, toGtin14(product.ean_key), product.base ?? undefined);
  });
}

const NO_MEDICINE = 7;
type Base = Pick<PublishedBase, 'id' | 'is_medicine' | 'medical_information' | 'sanitary_fraction'>;

function toSaleRule(id: number, gtin: string, base: Base | undefined): SaleRule {
  const isPrescribed = base?.medical_information?.requires_prescription ?? false;
  return { id, gtin, base: base?.id, mildness: base ? readMildness(base) : 0, isPrescribed };
}

// A medicine without medical information needs no prescription; whether a withdrawn one was V or VI is unknown.
const readMildness = ({
  is_medicine,
  medical_information: medical,
  sanitary_fraction: fraction = 'VI',
}: Base): number => (is_medicine === 'true' ? (medical?.group_number ?? toGroupNumber(fraction)) : NO_MEDICINE);
