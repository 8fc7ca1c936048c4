import type { Words } from './words.ts';

const SALE = {
  price: 'Price of one, before IVA.',
  is_active: 'Whether it can be bought.',
  has_shortage: 'Whether it is out of stock at present.',
  ean_key: 'Barcode.',
  presentation: 'How it is packed.',
};

const MEDICINE = {
  active_ingredient: 'Active ingredient.',
  is_generic: 'Whether it is a generic.',
  group_number: 'Number of its group.',
  requires_prescription: 'Whether an order of it needs a prescription.',
};

/** Words of the catalog. */
export const CATALOG_WORDS = {
  Named: { about: 'A supplier, variant, company, disease or tag.', fields: {} },
  Reference: { about: 'An id with its name.', fields: {} },
  MedicalSummary: { about: 'What lists show of a medicine.', fields: MEDICINE },
  MedicalInformation: {
    about: 'What is known of a medicine.',
    fields: { ...MEDICINE, base_product: 'The base product, by id.' },
  },
  ProductPage: { about: 'One page of products.', fields: {} },
  ListProduct: {
    about: 'A product as lists show it.',
    fields: {
      ...SALE,
      base: 'What it has in common with its other presentations.',
      default_image: 'Address of its main image, or null.',
      name_slug: 'Name and presentation as a part of an address.',
    },
  },
  ListProductBase: {
    about: 'A base product as lists show it.',
    fields: {
      pharmaceutical_company: 'The company that makes it.',
      category: 'Its category.',
      tags: 'Its tags.',
      medical_information: 'What is known of it as a medicine, or null.',
    },
  },
  Product: {
    about: 'A product in full; what nobody published is null.',
    fields: {
      ...SALE,
      ...MEDICINE,
      description: 'What it is.',
      cost: 'What it costs the pharmacy.',
      public_price: 'Price to the public.',
      average_cost: 'What it costs the pharmacy on average.',
      has_iva: 'Whether IVA is added to its price.',
      should_calculate_price: 'Whether its price is to be calculated.',
      sat_key: 'Kind of product by SAT’s catalog c_ClaveProdServ.',
      sat_unit: 'Unit by SAT’s catalog c_ClaveUnidad.',
      partner_description: 'Text of a partner.',
      image: 'Address of an image.',
      category: 'Its category, by id.',
      medical_information: 'Its medical information, by id.',
      pharmaceutical_company: 'The company that makes it, by id.',
      variants: 'Its variants, by id.',
      diseases: 'The diseases that it is used for, by id.',
      current_supplier: 'Who supplies it at present.',
      supplier_products: 'What it costs at each supplier.',
      album: 'Its images.',
      product_variants: 'In what it varies from other presentations.',
      base: 'What it has in common with its other presentations.',
    },
  },
  ProductBase: {
    about: 'What the presentations of a product have in common.',
    fields: {
      is_medicine: 'Whether it is a medicine, as text.',
      description: 'What it is.',
      created_by: 'The user who created it, by id.',
      category: 'Its category.',
      pharmaceutical_company: 'The company that makes it.',
      diseases: 'The diseases that it is used for.',
      tags: 'Its tags.',
      medical_information: 'What is known of it as a medicine, or null.',
    },
  },
  SupplierProduct: {
    about: 'A product at one supplier.',
    fields: { supplier: 'The supplier.', cost: 'What it costs there.', product: 'The product, by id.' },
  },
  Album: { about: 'The images of a product.', fields: { images: 'The images.' } },
  AlbumImage: {
    about: 'An image of a product.',
    fields: {
      album: 'Its album, by id.',
      image: 'Its address.',
      is_default: 'Whether it is the main image.',
    },
  },
  ProductVariant: {
    about: 'In what a product varies from other presentations.',
    fields: { value: 'What it has of that, such as a size.', variant: 'What varies.' },
  },
  CategoryPage: { about: 'One page of categories.', fields: {} },
  Category: { about: 'A category of products.', fields: { parent: 'The category above it, by id, or null.' } },
  CompanyPage: { about: 'One page of pharmaceutical companies.', fields: {} },
  Company: { about: 'A pharmaceutical company.', fields: {} },
  DiseasePage: { about: 'One page of diseases.', fields: {} },
  Disease: { about: 'A disease.', fields: { is_chronic: 'Whether it is chronic.' } },
} as const satisfies Readonly<Record<string, Words>>;
