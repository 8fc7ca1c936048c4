import * as z from 'zod';
import { describeBarcodeFault } from '../../../domain/gtin.ts';
import { SANITARY_FRACTIONS } from '../../../domain/medicines.ts';
import { isTimeZone } from '../../../domain/working-day.ts';
import { PAYMENT_FORMS, UNIT_NAMES } from '../../../invoices/rules/sat-tables.ts';
import { COLLECTIONS } from '../../../payments/rules/payment.ts';
import { parseSoughtPhone } from '../../../people/rules/roles.ts';
import {
  amount,
  checkedText,
  dateTime,
  days,
  degrees,
  description,
  id,
  idList,
  image,
  limitedText,
  line,
  name,
  no,
  note,
  optionalAmount,
  optionalDateTime,
  optionalId,
  optionalImage,
  rate,
  yes,
  zipcode,
} from './field-types.ts';

// The catalog folder that an operator writes: one JSON Lines file per resource, one record per line.

const stamps = {
  created_at: dateTime
    .optional()
    .describe('Without it: as in the published version while the record is unchanged, else the time of publishing'),
  updated_at: dateTime.optional().describe('As created_at'),
};
const named = { id, name };

const TWICE = 'It must not hold the same id twice.';
const haveOwnIds = (parts: readonly { id: number }[]) => new Set(parts.map((part) => part.id)).size === parts.length;

const medicalInformation = z.strictObject({
  id: id.optional().describe('Without it: the id of the base'),
  active_ingredient: line,
  is_generic: z.boolean(),
  group_number: z.int().min(0).max(2_147_483_647).describe('Of a medicine its sanitary fraction: 1 for I to 6 for VI'),
  requires_prescription: z
    .boolean()
    .describe('Of a medicine true for the sanitary fractions I to IV, false for V and VI'),
  ...stamps,
});

const base = z.strictObject({
  ...named,
  is_medicine: z
    .union([z.boolean(), z.enum(['true', 'false'])])
    .transform((value) => String(value) === 'true')
    .default(true),
  description,
  category: id.describe('Id of a record of categories'),
  pharmaceutical_company: id.describe('Id of a record of companies'),
  diseases: idList.describe('Ids of records of diseases'),
  tags: idList.describe('Ids of records of tags'),
  medical_information: medicalInformation.nullable().default(null),
  sanitary_fraction: z
    .enum(SANITARY_FRACTIONS)
    .nullable()
    .default(null)
    .describe(
      'Fraction of art. 226 of the Ley General de Salud, of every medicine; those of I to III are published inactive',
    ),
  is_antibiotic: z
    .boolean()
    .nullable()
    .default(null)
    .describe('Whether its sales stand in the register of antibiotics; without it: by the active ingredient'),
  created_by: z.int().nullable().default(null),
  updated_by: z.int().nullable().default(null),
  ...stamps,
});

const albumImages = z
  .array(z.strictObject({ id, image, is_default: no }))
  .refine(haveOwnIds, TWICE)
  .refine(
    (images) => images.filter(({ is_default }) => is_default).length <= 1,
    'It must have one default image at most.',
  );
const supplierProduct = z.strictObject({ id, supplier: id.describe('Id of a record of suppliers'), cost: amount });
const productVariant = z.strictObject({ id, value: name, variant: id.describe('Id of a record of variants') });

const satProductKey = z.string().regex(/^\d{8}$/, 'It must be a key of 8 digits');
const UNIT_CODES = Object.keys(UNIT_NAMES);
const UNKNOWN_UNIT =
  "It must be one of SAT's units for a pharmacy, such as H87 (Pieza): `catalog schema products` lists them";

const describeUnits = (): string =>
  Object.entries(UNIT_NAMES)
    .map(([code, unitName]) => `${code} ${unitName}`)
    .join('; ');

const product = z.strictObject({
  id,
  base: id.describe('Id of a record of bases'),
  presentation: line.default(''),
  price: amount.describe('Before IVA'),
  cost: optionalAmount,
  public_price: optionalAmount,
  average_cost: optionalAmount,
  has_iva: z.boolean().describe('Whether IVA is charged at the general rate; medicines are at 0 %'),
  is_active: yes.describe('Whether it can be bought'),
  has_shortage: no,
  max_quantity: z.int().min(1).max(32_767).optional().describe('The most in one order, over all of its lines'),
  should_calculate_price: no,
  sat_key: satProductKey.describe(
    "SAT's c_ClaveProdServ: of the list that is shipped, or a record of sat_product_keys, if there are any",
  ),
  sat_unit: z.enum(UNIT_CODES, UNKNOWN_UNIT).describe(`SAT's c_ClaveUnidad, with its name: ${describeUnits()}`),
  ean_key: checkedText(
    describeBarcodeFault,
    50,
    'It must be a text in quotation marks, as a number loses its zeros',
  ).describe('Barcode: a GTIN-8, -12, -13 or -14 of digits alone, unique in the catalog'),
  partner_description: description,
  image: optionalImage,
  album: z
    .strictObject({ id, images: albumImages })
    .nullable()
    .default(null)
    .describe('At most one image is the default'),
  current_supplier: optionalId.describe('Id of a record of suppliers'),
  supplier_products: z.array(supplierProduct).refine(haveOwnIds, TWICE).default([]),
  product_variants: z.array(productVariant).refine(haveOwnIds, TWICE).default([]),
  ...stamps,
});

const store = z.strictObject({
  id,
  company_name: limitedText(1, 100),
  business_hours: note,
  name: limitedText(0, 30).default(''),
  street: limitedText(1, 250),
  exterior_number: limitedText(1, 20),
  interior_number: limitedText(0, 20).default(''),
  neighborhood: limitedText(1, 100),
  city: limitedText(1, 100),
  state: limitedText(1, 100),
  country: limitedText(1, 100),
  zipcode,
  phone: limitedText(1, 25).refine(
    (text) => parseSoughtPhone(text),
    'It must be a telephone number without an extension',
  ),
  additional_info: note,
  latitude: degrees(90).nullable().default(null),
  longitude: degrees(180).nullable().default(null),
  is_sat_branch: no.describe(
    'True if SAT has it as a branch; invoices of its orders then have its zip code as LugarExpedicion',
  ),
  time_zone: z
    .string()
    .max(50)
    .refine(isTimeZone, { error: 'It must be an IANA time zone, such as America/Tijuana' })
    .nullable()
    .default(null)
    .describe('IANA time zone in which the invoices of a branch are dated; without it that of its zip code'),
  ...stamps,
});

const shippingMethod = z.strictObject({
  id,
  company: limitedText(1, 100),
  method: z.enum(['standard', 'express', 'local', 'default']),
  min_delivery_days: days.describe('Working days'),
  max_delivery_days: days.describe('Working days'),
  pickup: no.describe('True for exactly one method, that of orders collected at a store'),
  ...stamps,
});

const shippingRate = z.strictObject({
  id,
  shipping_method: id.describe('Id of a record of shipping_methods'),
  zip_from: zipcode.describe('First zip code of the range; of several ranges of a method the narrowest holds'),
  zip_to: zipcode.describe('Last zip code of the range'),
  price: amount.describe('IVA included'),
  cost: optionalAmount.describe('What the shipment costs the shop'),
  discount: optionalAmount.describe('Taken off the price between discount_from and discount_until'),
  discount_from: optionalDateTime,
  discount_until: optionalDateTime,
  ...stamps,
});

// SAT, catálogo c_FormaPago of CFDI 4.0.
const PAYMENT_FORM_CODES = Object.keys(PAYMENT_FORMS).toSorted();

const paymentMethod = z.strictObject({
  id,
  name: limitedText(1, 30),
  fee: rate,
  fixed_fee: rate.default('0.00'),
  initial_payment_status: z.enum(['unpaid', 'credit']),
  sat_payment_form: z.enum(PAYMENT_FORM_CODES, 'It must be a code of c_FormaPago').describe("SAT's c_FormaPago"),
  collection: z
    .enum(COLLECTIONS)
    .optional()
    .describe('How the payment provider collects it; without it, an operator records each payment'),
  ...stamps,
});

const redemptions = z.int().min(1).max(999_999_999).nullable().default(null);

const coupon = z.strictObject({
  id: id.describe('A coupon with a new id is counted anew, even under the same code'),
  code: limitedText(1, 16).describe('Compared without regard to case'),
  description: limitedText(0, 150).default(''),
  value: rate.describe('Up to 1 a share of the subtotal, above 1 an amount'),
  has_free_shipping: no,
  valid_from: optionalDateTime,
  valid_until: optionalDateTime,
  minimum_subtotal: optionalAmount,
  max_redemptions: redemptions.describe('Orders of each client that may redeem it; cancelled ones do not count'),
  max_redemptions_per_patient: redemptions.describe('As max_redemptions, for each patient'),
  ...stamps,
});

const holiday = z.strictObject({ date: z.iso.date('It must be a date, such as 2026-12-25'), name, ...stamps });

const synonyms = z.strictObject({
  active_ingredient: name.describe('One active ingredient, as bases write it'),
  synonyms: z.array(name).min(1).max(50).describe('Its other names and the words of its class, for `search_all`'),
});

const ownProductKey = z.strictObject({
  key: satProductKey.describe("A key of SAT's c_ClaveProdServ that the shipped list lacks"),
  name: name.describe('Its name there'),
});

const TRACKING = '{tracking}';
const carrier = z.strictObject({
  ...named,
  tracking_url: z
    .url({ protocol: /^https$/, error: 'It must be an https address' })
    .max(500)
    .refine((url) => url.includes(TRACKING), `It must have ${TRACKING} in the place of the tracking number`)
    .describe(`The address of a shipment's page, with ${TRACKING} in the place of its number`),
});

export const CATALOG_FILES = {
  companies: z.strictObject({ ...named, ...stamps }),
  categories: z.strictObject({ ...named, parent: optionalId.describe('Id of another category'), ...stamps }),
  diseases: z.strictObject({ ...named, is_chronic: no, ...stamps }),
  tags: z.strictObject({ ...named, ...stamps }),
  suppliers: z.strictObject({ ...named, ...stamps }),
  variants: z.strictObject({ ...named, ...stamps }),
  bases: base,
  products: product,
  stores: store,
  shipping_methods: shippingMethod,
  shipping_rates: shippingRate,
  payment_methods: paymentMethod,
  coupons: coupon,
  holidays: holiday,
  synonyms,
  carriers: carrier,
  sat_product_keys: ownProductKey,
};

export type CatalogFile = keyof typeof CATALOG_FILES;
export type CatalogInput<File extends CatalogFile> = z.input<(typeof CATALOG_FILES)[File]>;
/** A record after reading: with defaults, amounts as text with two or more decimals, times in UTC. */
export type CatalogRecord<File extends CatalogFile> = z.output<(typeof CATALOG_FILES)[File]>;
export type CatalogRecords = { readonly [File in CatalogFile]: readonly CatalogRecord<File>[] };

export const catalogFileNames = Object.keys(CATALOG_FILES) as readonly CatalogFile[];
/** The files that a folder needs; without another one it has that one's default records, if there are any. */
const NEEDED_FILES: readonly CatalogFile[] = ['companies', 'categories', 'bases', 'products'];
export const OPTIONAL_FILES = catalogFileNames.filter((file) => !NEEDED_FILES.includes(file));

export function catalogSchemas(): Record<CatalogFile, unknown> {
  const toEntry = (file: CatalogFile) => [file, z.toJSONSchema(CATALOG_FILES[file], { io: 'input' })];
  return Object.fromEntries(catalogFileNames.map(toEntry));
}
