import * as z from 'zod';
import { contract } from '../contract.ts';
import { amount, difference, pathId, recordId, stamps, updatedBy } from '../fields.ts';
import {
  flag,
  idFilter,
  idsFilter,
  listQuery,
  MAX_SEARCH,
  numberFilter,
  page,
  pagingQuery,
  textsFilter,
} from '../lists.ts';
import { category, facets, facetsParameter, named, OF_CATALOG } from './named.ts';

const sale = {
  presentation: z.string().describe('Presentation: form and content of the package.'),
  price: amount.describe('Price of one in Mexican pesos (MXN), before IVA.'),
  is_active: z.boolean().describe('True when it can be bought.'),
  has_shortage: z.boolean().describe('True while it is out of stock.'),
  ean_key: z.string().describe('Barcode.'),
};

const medicalSummary = z
  .strictObject({
    active_ingredient: z.string().describe('Active ingredient.'),
    is_generic: z.boolean().describe('True for a generic.'),
    group_number: z.int().min(0).max(2_147_483_647).describe('Number of its group.'),
    requires_prescription: z.boolean().describe('True when an order of it needs a prescription.'),
  })
  .meta({ id: 'MedicalSummary', description: 'The medical information that lists show.' });
const medicine = medicalSummary.shape;

const medicalInformation = z
  .strictObject({ id: recordId, ...stamps, ...medicine, base_product: z.int().describe('The base product, by id.') })
  .meta({ id: 'MedicalInformation', description: 'The medical information of a product.' });

const reference = z
  .strictObject({ id: recordId, name: z.string().describe('Name.') })
  .meta({ id: 'Reference', description: 'An id with its name.' });

const MAKER = 'The company that makes it.';
const MEDICAL = 'Its medical information; null when it is no medicine.';
const BASE = 'The base product, which it shares with its other presentations.';

const productListBase = z
  .strictObject({
    id: recordId,
    name: z.string().describe('Name.'),
    pharmaceutical_company: reference.describe(MAKER),
    category: reference.describe('Its category.'),
    tags: z.array(named).describe('Its tags.'),
    medical_information: medicalSummary.nullable().describe(MEDICAL),
  })
  .meta({ id: 'ListProductBase', description: 'A base product as lists show it.' });

export const productListItem = z
  .strictObject({
    id: recordId,
    ...sale,
    base: productListBase.describe(BASE),
    ...stamps,
    default_image: z.string().nullable().describe('Address of its main image, or null.'),
    name_slug: z.string().describe('Name and presentation as a part of an address.'),
  })
  .meta({ id: 'ListProduct', description: 'A product as lists show it.' });
export type ProductListItem = z.infer<typeof productListItem>;

const productBase = z
  .strictObject({
    id: recordId,
    name: z.string().describe('Name.'),
    is_medicine: z.enum(['true', 'false']).describe('As text: `true` for a medicine, `false` for anything else.'),
    description: z.string().describe('Description.'),
    ...stamps,
    created_by: z.int().nullable().describe('The user who created it, by id.'),
    updated_by: updatedBy,
    category: category.describe('Its category.'),
    pharmaceutical_company: named.describe(MAKER),
    diseases: z.array(named).describe('The diseases that it is used for.'),
    tags: z.array(named).describe('Its tags.'),
    medical_information: medicalInformation.nullable().describe(MEDICAL),
  })
  .meta({ id: 'ProductBase', description: 'The fields that all presentations of a product share.' });

const supplierProduct = z
  .strictObject({
    supplier: named.describe('The supplier.'),
    cost: amount.describe('Cost at this supplier.'),
    product: z.int().describe('The product, by id.'),
    id: recordId,
  })
  .meta({ id: 'SupplierProduct', description: 'A product at one supplier.' });

const albumImage = z
  .strictObject({
    id: recordId,
    album: z.int().describe('Its album, by id.'),
    image: z.string().describe('Address of the image.'),
    is_default: z.boolean().describe('True for the main image.'),
  })
  .meta({ id: 'AlbumImage', description: 'An image of a product.' });

const album = z
  .strictObject({ id: recordId, images: z.array(albumImage).describe('The images.') })
  .meta({ id: 'Album', description: 'The images of a product.' });

const productVariant = z
  .strictObject({
    id: recordId,
    value: z.string().describe('Value of this variant, such as a size.'),
    variant: named.describe('The variant.'),
  })
  .meta({ id: 'ProductVariant', description: 'A difference from other presentations of a product.' });

/** Fields missing from the catalog folder are null, as are most of a withdrawn product. */
export const product = z
  .strictObject({
    id: recordId,
    name: z.string().describe('Name.'),
    description: z.string().describe('Description.'),
    ...sale,
    cost: amount.nullable().describe('Cost to the pharmacy.'),
    public_price: amount.nullable().describe('Price to the public.'),
    average_cost: amount.nullable().describe('Average cost to the pharmacy.'),
    has_iva: z.boolean().describe('True when IVA is added to its price.'),
    has_shortage: sale.has_shortage.nullable(),
    should_calculate_price: z.boolean().nullable().describe('True when its price is to be calculated.'),
    is_generic: medicine.is_generic.nullable(),
    sat_key: z.string().describe('Kind of product by SAT’s catalog c_ClaveProdServ.'),
    sat_unit: z.string().describe('Unit by SAT’s catalog c_ClaveUnidad.'),
    partner_description: z.string().describe('Text of a partner.'),
    active_ingredient: medicine.active_ingredient,
    group_number: medicine.group_number.nullable(),
    image: z.string().nullable().describe('Address of an image.'),
    category: z.int().nullable().describe('Its category, by id.'),
    medical_information: z.int().nullable().describe('Its medical information, by id.'),
    pharmaceutical_company: z.int().nullable().describe('The company that makes it, by id.'),
    variants: z.array(z.int()).describe('Its variants, by id.'),
    diseases: z.array(z.int()).describe('The diseases that it is used for, by id.'),
    current_supplier: named.nullable().describe('Its present supplier.'),
    supplier_products: z.array(supplierProduct).describe('Its cost at each supplier.'),
    album: album.nullable().describe('Its images.'),
    product_variants: z.array(productVariant).describe('Its differences from other presentations.'),
    base: productBase.nullable().describe(BASE),
    created_at: stamps.created_at.nullable(),
    updated_at: stamps.updated_at.nullable(),
  })
  .meta({ id: 'Product', description: 'A product in full; fields that nobody published are null.' });
export type Product = z.infer<typeof product>;

const productPage = page('ProductPage', 'products', productListItem, {
  facets: facets.optional().describe('Numbers of products by the values of filters; only if `facets` asks for it.'),
  did_you_mean: z
    .string()
    .max(MAX_SEARCH)
    .nullable()
    .optional()
    .describe(
      'Another spelling of a search that found nothing, which finds something under the same filters, or null; only if `spelling` asks for it.',
    ),
});

export const productsContract = contract({
  ...OF_CATALOG,
  operationId: 'listProducts',
  summary: 'List products',
  description: 'The products of the catalog, newest first unless ordered otherwise.',
  query: listQuery(
    ['created_at', 'updated_at', 'base__name', 'price'],
    '-created_at',
    'Words of the name of the base product, all of which must match, each anywhere in it. A number matches a whole number of the name (`5` matches neither 50 nor 0.5, and `500mg` is `500 mg`) and, with six digits or more, anywhere in a barcode, a whole one also with the blanks or hyphens printed between its digits. Signs beside a word are ignored; signs alone find nothing.',
  ).extend({
    search_all: flag
      .optional()
      .describe(
        '`true` searches also the presentation, with its numbers, and the words of the active ingredient, its synonyms and classes, and the company: `acetaminofén`, `analgésico`, `ibuprofeno tabletas`.',
      ),
    base__diseases: idFilter.optional().describe('Used for this disease, by id.'),
    base__category: idFilter.optional().describe('Of this category, by id.'),
    base__pharmaceutical_company: idFilter.optional().describe('Made by this company, by id.'),
    is_active: flag.optional().describe('`true` for products that can be bought.'),
    has_shortage: flag.optional().describe('`false` for products in stock.'),
    min_price: numberFilter.optional().describe('Of this price or more.'),
    max_price: numberFilter.optional().describe('Of this price or less.'),
    id__in: idsFilter.optional().describe('Only these products, by id.'),
    ean_key__in: textsFilter
      .optional()
      .describe(
        'Only products of these barcodes; one GTIN is the same with 8, 12, 13 and 14 digits, and with the blanks or hyphens printed between them.',
      ),
    facets: facetsParameter,
    spelling: flag
      .optional()
      .describe(
        '`true` asks for `did_you_mean`: the search with each word that stands in no product replaced by the nearest word of the names of products, at most two edits away (one for 4 or 5 letters, none for fewer). Drug names come first, then fewer edits, more products, the alphabet. It is in lower case and without accents, as searches are compared; numbers are never changed, nor more than three words, nor what is as near to the name of a company.',
      ),
  }),
  answers: { 200: productPage },
});

export const productContract = contract({
  ...OF_CATALOG,
  operationId: 'getProduct',
  summary: 'Read a product',
  description: 'One product in full.',
  path: z.object({ id: pathId }),
  answers: { 200: product },
});

const substitute = z
  .strictObject({
    ...productListItem.shape,
    saving: difference
      .optional()
      .describe(
        'Price of a package of the product less that of as many units (tablets, mL, g or doses) of the substitute, rounded to the cent; may be negative. Left out unless both presentations say how many units of the same kind they have.',
      ),
  })
  .meta({ id: 'Substitute', description: 'A product that may stand for another, as lists show it.' });
export type Substitute = z.infer<typeof substitute>;

export const substitutesContract = contract({
  ...OF_CATALOG,
  operationId: 'listSubstitutes',
  summary: 'List substitutes of a product',
  description:
    'Other medicines with the same active ingredients, the same pharmaceutical form and the same need of a prescription that can be bought and are in stock, cheapest first; empty for what is no medicine or has no active ingredient, or where neither name nor presentation tells the form. ' +
    'Ingredients are compared as they are written, salts included, without regard to order, case and accents. ' +
    'A substitute is a suggestion: strength and number of pieces may differ, so show the name and the presentation, and leave it to a pharmacist or physician; where a prescription names a brand, only who wrote it may allow another.',
  path: z.object({ id: pathId }),
  query: pagingQuery,
  answers: { 200: page('SubstitutePage', 'substitutes', substitute) },
});
