import type { Survivors } from '../parts.ts';

export const CATALOG_FOLDER: Survivors = {
  'shared/catalog/publishing/folder/check.ts': {
    '} catch {}': 'equal: a function without a return value returns undefined',
    'function takeWholeRecords({ lines = ["Stryker was here"] }: FileLines<CatalogFile>): RecordLine<CatalogFile>[\'fields\'][] {':
      'equal: the inserted string is not a complete line',
  },
  'shared/catalog/publishing/folder/rules.ts': {
    'const hasIds = (file: CatalogFile): file is FileWithIds => true;':
      'equal: a holiday has no id that could repeat; the types need the check',
    'const hasIds = (file: CatalogFile): file is FileWithIds => file !== "";':
      'equal: a holiday has no id that could repeat; the types need the check',
    "...catalogFileNames.map((file) => requireUnique(file, 'id', ({ id }) => id)),":
      'equal: a holiday has no id that could repeat; the types need the check',
    "requireLinks('bases', 'diseases', ({ diseases = [\"Stryker was here\"] }) => diseases.map((id, at) => [`diseases[${at}]`, id])),":
      'equal: the inserted string links to nothing',
    "requireLinks('bases', 'tags', ({ tags = [\"Stryker was here\"] }) => tags.map((id, at) => [`tags[${at}]`, id])),":
      'equal: the inserted string links to nothing',
    "requireLinks('products', 'suppliers', ({ supplier_products: sources = [\"Stryker was here\"] }) =>":
      'equal: the inserted string has no supplier',
    "requireLinks('products', 'variants', ({ product_variants: variants = [\"Stryker was here\"] }) =>":
      'equal: the inserted string has no variant',
    'return true && right != null && Number(left) > Number(right);':
      'equal: null counts as 0 and is never greater, nor is undefined; the types need the check',
    'return true && right != null && left > right;': 'equal: null is never after a time; the types need the check',
    'return left != null && true && left > right;': 'equal: no time is after null; the types need the check',
    'return true && left > right;': 'equal: no time is after null, nor null after a time; the types need the check',
    'return left != null || right != null && left > right;':
      'equal: no time is after null, nor null after a time; the types need the check',
    'const path: (number | undefined)[] = ["Stryker was here"];':
      'equal: the inserted string is not a category and precedes any cycle',
  },
};
