import type { Category } from '../../api/categories.ts';
import type { Disease } from '../../api/diseases.ts';
import type { Named } from '../../api/named.ts';
import type { Product, ProductListItem } from '../../api/products.ts';
import { formatCents } from '../../domain/money.ts';
import type { CatalogProduct } from '../catalog.ts';
import { found, type ProductContent } from '../file/checked.ts';
import type { Stamped } from '../file/timestamps.ts';

/** A product as its row has it, beside its base. */
export type ProductRow = {
  readonly id: number;
  readonly presentation: string;
  readonly price_cents: number;
  readonly has_iva: number;
  readonly is_active: number;
  readonly has_shortage: number;
  readonly sat_key: string;
  readonly sat_unit: string;
  readonly ean_key: string;
  readonly default_image: string | null;
  readonly name_slug: string;
  readonly created_at: string;
  readonly updated_at: string;
};

export type Base = Stamped<'bases'>;

/** What is filled in into products: the records that they refer to, by id, and how the path of an image is made absolute. */
export type Fillings = {
  readonly companies: ReadonlyMap<number, Named>;
  readonly categories: ReadonlyMap<number, Category>;
  readonly diseases: ReadonlyMap<number, Disease>;
  readonly tags: ReadonlyMap<number, Named>;
  readonly suppliers: ReadonlyMap<number, Named>;
  readonly variants: ReadonlyMap<number, Named>;
  addressOf(image: string): string;
};

export function listItemOf(row: ProductRow, base: Base, fillings: Fillings): ProductListItem {
  return {
    id: row.id,
    presentation: row.presentation,
    base: {
      id: base.id,
      name: base.name,
      pharmaceutical_company: referenceOf(found(fillings.companies, base.pharmaceutical_company)),
      category: referenceOf(found(fillings.categories, base.category)),
      tags: base.tags.map((id) => found(fillings.tags, id)),
      medical_information: base.medical_information && medicalSummary(base.medical_information),
    },
    created_at: row.created_at,
    updated_at: row.updated_at,
    price: formatCents(row.price_cents),
    is_active: row.is_active === 1,
    has_shortage: row.has_shortage === 1,
    ean_key: row.ean_key,
    default_image: row.default_image && fillings.addressOf(row.default_image),
    name_slug: row.name_slug,
  };
}

/** What pricing, ordering and invoicing need. */
export function saleOf(row: ProductRow, base: Base, { addressOf }: Fillings): CatalogProduct {
  return {
    id: row.id,
    name: base.name,
    presentation: row.presentation,
    eanKey: row.ean_key,
    satKey: row.sat_key,
    satUnit: row.sat_unit,
    priceCents: row.price_cents,
    hasIva: row.has_iva === 1,
    isActive: row.is_active === 1,
    hasShortage: row.has_shortage === 1,
    requiresPrescription: base.medical_information?.requires_prescription ?? false,
    defaultImage: row.default_image && addressOf(row.default_image),
  };
}

/** The full Product; fields that are the base's are taken from there. */
export function detailOf(row: ProductRow, base: Base, content: ProductContent, fillings: Fillings): Product {
  const { image, album, current_supplier, supplier_products, product_variants, ...own } = content;
  const { suppliers, variants, addressOf } = fillings;
  const medical = base.medical_information;
  return {
    id: row.id,
    name: base.name,
    presentation: row.presentation,
    description: base.description,
    price: formatCents(row.price_cents),
    ...own,
    has_iva: row.has_iva === 1,
    is_active: row.is_active === 1,
    has_shortage: row.has_shortage === 1,
    is_generic: medical?.is_generic ?? false,
    sat_key: row.sat_key,
    sat_unit: row.sat_unit,
    ean_key: row.ean_key,
    active_ingredient: medical?.active_ingredient ?? '',
    group_number: medical?.group_number ?? null,
    image: image && addressOf(image),
    category: base.category,
    medical_information: medical && (medical.id ?? base.id),
    pharmaceutical_company: base.pharmaceutical_company,
    variants: product_variants.map(({ variant }) => variant),
    diseases: base.diseases,
    current_supplier: current_supplier === null ? null : found(suppliers, current_supplier),
    supplier_products: supplier_products.map(({ id, supplier, cost }) => ({
      supplier: found(suppliers, supplier),
      cost,
      product: row.id,
      id,
    })),
    album: album && {
      id: album.id,
      images: album.images.map((one) => ({ ...one, album: album.id, image: addressOf(one.image) })),
    },
    product_variants: product_variants.map((one) => ({ ...one, variant: found(variants, one.variant) })),
    base: baseOf(base, fillings),
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

function baseOf(base: Base, { categories, companies, diseases, tags }: Fillings): NonNullable<Product['base']> {
  const { medical_information: medical } = base;
  return {
    id: base.id,
    name: base.name,
    is_medicine: base.is_medicine ? 'true' : 'false',
    description: base.description,
    created_at: base.created_at,
    updated_at: base.updated_at,
    created_by: base.created_by,
    updated_by: base.updated_by,
    category: found(categories, base.category),
    pharmaceutical_company: found(companies, base.pharmaceutical_company),
    diseases: base.diseases.map((id) => namedOf(found(diseases, id))),
    tags: base.tags.map((id) => found(tags, id)),
    medical_information: medical && {
      id: medical.id ?? base.id,
      created_at: medical.created_at ?? base.created_at,
      updated_at: medical.updated_at ?? base.updated_at,
      ...medicalSummary(medical),
      base_product: base.id,
    },
  };
}

type Medical = NonNullable<Base['medical_information']>;

function medicalSummary({ active_ingredient, is_generic, group_number, requires_prescription }: Medical) {
  return { active_ingredient, is_generic, group_number, requires_prescription };
}

function referenceOf({ id, name }: Named): Pick<Named, 'id' | 'name'> {
  return { id, name };
}

function namedOf({ id, name, created_at, updated_at }: Named): Named {
  return { id, name, created_at, updated_at };
}
