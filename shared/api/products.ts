import * as z from 'zod';
import type { MessageCode } from '../messages/messages.ts';
import { category } from './categories.ts';
import { contract } from './contract.ts';
import { amount, pathId, timestamp } from './fields.ts';
import { flag, idFilter, idsFilter, listQuery, page } from './lists.ts';
import { named } from './named.ts';

const groupNumber = z.int().min(0).max(2_147_483_647);

export const medicalSummary = z.strictObject({
  active_ingredient: z.string(),
  is_generic: z.boolean(),
  group_number: groupNumber,
  requires_prescription: z.boolean(),
});

export const medicalInformation = z.strictObject({
  id: z.int(),
  created_at: timestamp,
  updated_at: timestamp,
  ...medicalSummary.shape,
  base_product: z.int(),
});

export const reference = z.strictObject({ id: z.int(), name: z.string() });

export const productListItem = z.strictObject({
  id: z.int(),
  presentation: z.string(),
  base: z.strictObject({
    id: z.int(),
    name: z.string(),
    pharmaceutical_company: reference,
    category: reference,
    tags: z.array(named),
    medical_information: medicalSummary.nullable(),
  }),
  created_at: timestamp,
  updated_at: timestamp,
  price: amount,
  is_active: z.boolean(),
  has_shortage: z.boolean(),
  ean_key: z.string(),
  default_image: z.string().nullable(),
  name_slug: z.string(),
});
export type ProductListItem = z.infer<typeof productListItem>;

export const productBase = z.strictObject({
  id: z.int(),
  name: z.string(),
  is_medicine: z.enum(['true', 'false']),
  description: z.string(),
  created_at: timestamp,
  updated_at: timestamp,
  created_by: z.int().nullable(),
  updated_by: z.int().nullable(),
  category,
  pharmaceutical_company: named,
  diseases: z.array(named),
  tags: z.array(named),
  medical_information: medicalInformation.nullable(),
});

/** The full Product. Null is what the folder does not say, and most of the stand-in for a product no longer published. */
export const product = z.strictObject({
  id: z.int(),
  name: z.string(),
  presentation: z.string(),
  description: z.string(),
  price: amount,
  cost: amount.nullable(),
  public_price: amount.nullable(),
  average_cost: amount.nullable(),
  has_iva: z.boolean(),
  is_active: z.boolean(),
  has_shortage: z.boolean().nullable(),
  should_calculate_price: z.boolean().nullable(),
  is_generic: z.boolean().nullable(),
  sat_key: z.string(),
  sat_unit: z.string(),
  ean_key: z.string(),
  partner_description: z.string(),
  active_ingredient: z.string(),
  group_number: groupNumber.nullable(),
  image: z.string().nullable(),
  category: z.int().nullable(),
  medical_information: z.int().nullable(),
  pharmaceutical_company: z.int().nullable(),
  variants: z.array(z.int()),
  diseases: z.array(z.int()),
  current_supplier: named.nullable(),
  supplier_products: z.array(z.strictObject({ supplier: named, cost: amount, product: z.int(), id: z.int() })),
  album: z
    .strictObject({
      id: z.int(),
      images: z.array(z.strictObject({ id: z.int(), album: z.int(), image: z.string(), is_default: z.boolean() })),
    })
    .nullable(),
  product_variants: z.array(z.strictObject({ id: z.int(), value: z.string(), variant: named })),
  base: productBase.nullable(),
  created_at: timestamp.nullable(),
  updated_at: timestamp.nullable(),
});
export type Product = z.infer<typeof product>;

const number = z
  .string()
  .regex(/^-?\d{1,300}(\.\d{1,6})?$/, 'not_a_decimal' satisfies MessageCode)
  .meta({ type: 'number' });

export const productsContract = contract({
  authentication: 'key',
  caching: 'catalog',
  query: listQuery(['created_at', 'updated_at', 'base__name', 'price'], '-created_at').extend({
    base__diseases: idFilter.optional(),
    base__category: idFilter.optional(),
    base__pharmaceutical_company: idFilter.optional(),
    is_active: flag.optional(),
    has_shortage: flag.optional(),
    min_price: number.optional(),
    max_price: number.optional(),
    id__in: idsFilter.optional(),
    ean_key__in: z
      .string()
      .transform((value) => value.split(',').map((ean) => ean.trim()))
      .meta({ type: 'array', items: { type: 'string' } })
      .optional(),
  }),
  answers: { 200: page(productListItem) },
});

export const productContract = contract({
  authentication: 'key',
  caching: 'catalog',
  path: z.object({ id: pathId }),
  answers: { 200: product },
});
