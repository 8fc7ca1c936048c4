import type { Survivors } from '../parts.ts';

export const CATALOG_FOLDER: Survivors = {
  'shared/catalog/folder/check.ts': {
    '} catch {}': 'equal: a function that ends without a value gives undefined',
    'function takeWholeRecords({ lines = ["Stryker was here"] }: FileLines<CatalogFile>): RecordLine<CatalogFile>[\'fields\'][] {':
      'equal: a text is no whole line',
  },
  'shared/catalog/folder/rules.ts': {
    'const hasIds = (file: CatalogFile): file is FileWithIds => true;':
      'equal: a holiday has no id to be repeated; the types need it',
    'const hasIds = (file: CatalogFile): file is FileWithIds => file !== "";':
      'equal: a holiday has no id to be repeated; the types need it',
    "...catalogFileNames.map((file) => requireUnique(file, 'id', ({ id }) => id)),":
      'equal: a holiday has no id to be repeated; the types need it',
    "requireLinks('bases', 'diseases', ({ diseases = [\"Stryker was here\"] }) => diseases.map((id, at) => [`diseases[${at}]`, id])),":
      'equal: a text refers to nothing',
    "requireLinks('bases', 'tags', ({ tags = [\"Stryker was here\"] }) => tags.map((id, at) => [`tags[${at}]`, id])),":
      'equal: a text refers to nothing',
    "requireLinks('products', 'suppliers', ({ supplier_products: sources = [\"Stryker was here\"] }) =>":
      'equal: a text has no supplier',
    "requireLinks('products', 'variants', ({ product_variants: variants = [\"Stryker was here\"] }) =>":
      'equal: a text has no variant',
    'return true && right != null && Number(left) > Number(right);':
      'equal: null is 0 and above nothing, undefined above nothing; the types need it',
    'return true && right != null && left > right;': 'equal: null is after no time; the types need it',
    'return left != null && true && left > right;': 'equal: no time is after null; the types need it',
    'return true && left > right;': 'equal: no time is after null, nor null after one; the types need it',
    'return left != null || right != null && left > right;':
      'equal: no time is after null, nor null after one; the types need it',
    'const path: (number | undefined)[] = ["Stryker was here"];':
      'equal: a text is no category, and lies before any cycle',
  },
};
