import { type Cents, type Micros, parseCents, parseMicros } from '../../domain/money.ts';
import type { CatalogRecord } from '../folder/folder.ts';

// What a catalog file stores of each record, in the shape in which it is read.

/** The fields of a product that only the full Product shows. */
export type ProductContent = Pick<
  CatalogRecord<'products'>,
  | 'cost'
  | 'public_price'
  | 'average_cost'
  | 'should_calculate_price'
  | 'partner_description'
  | 'image'
  | 'current_supplier'
  | 'supplier_products'
  | 'album'
  | 'product_variants'
>;

export function storedContent(product: CatalogRecord<'products'>): ProductContent {
  return {
    cost: product.cost,
    public_price: product.public_price,
    average_cost: product.average_cost,
    should_calculate_price: product.should_calculate_price,
    partner_description: product.partner_description,
    image: product.image,
    current_supplier: product.current_supplier,
    supplier_products: product.supplier_products,
    album: product.album,
    product_variants: product.product_variants,
  };
}

/** The album's default image, else its first, else the product's own, else null. */
export function defaultImage({ album, image }: CatalogRecord<'products'>): string | null {
  const chosen = album?.images.find((one) => one.is_default) ?? album?.images[0];
  return chosen?.image ?? (image || null);
}

/** Cents of an amount that the check has let pass. */
export function toCents(amount: string): Cents {
  return checked(parseCents(amount), amount);
}

/** Micros of a rate that the check has let pass. */
export function toMicros(rate: string): Micros {
  return checked(parseMicros(rate), rate);
}

/** The record of an id that the check has let pass. */
export function found<Value>(records: ReadonlyMap<number, Value>, id: number): Value {
  return checked(records.get(id), id);
}

function checked<Value>(value: Value | undefined, source: string | number): Value {
  if (value === undefined) throw new Error(`an unchecked catalog: ${source}`);
  return value;
}
