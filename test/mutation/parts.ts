import { CATALOG } from './survivors/catalog.ts';
import { CATALOG_BUCKET } from './survivors/catalog-bucket.ts';
import { CATALOG_FOLDER } from './survivors/catalog-folder.ts';
import { DOMAIN } from './survivors/domain.ts';
import { ORDERS } from './survivors/orders.ts';

/** Explains, by file and changed line, why no test needs to notice a mutant. */
export type Survivors = Readonly<Record<string, Readonly<Record<string, string>>>>;

export type Part = {
  /** The files to mutate. */
  readonly mutate: readonly string[];
  /** The test files that must notice the mutants. */
  readonly tests: readonly string[];
  /** True if the tests need DynamoDB, S3 and SES. */
  readonly needsEngines?: true;
  readonly survivors: Survivors;
};

export const PARTS = {
  domain: {
    mutate: ['shared/domain/*.ts', 'shared/*/rules/**/*.ts'],
    // Property tests are excluded: they take seconds for each mutant, and each rule needs a plain example anyway.
    tests: ['test/unit/{domain,invoices,order,payments,people,prescriptions}/!(*.property).test.ts'],
    survivors: DOMAIN,
  },
  'catalog-folder': {
    mutate: ['shared/catalog/publishing/folder/*.ts'],
    tests: ['test/unit/catalog/{check,folder-defaults,product-table}.test.ts'],
    survivors: CATALOG_FOLDER,
  },
  catalog: {
    mutate: [
      'shared/catalog/publishing/compile/*.ts',
      'shared/catalog/file/{columns,product-text,records,search-text}.ts',
      'shared/catalog/{listing,open,products,queries}.ts',
    ],
    tests: ['test/unit/catalog/{compile,open,queries,queries.property,substitutes}.test.ts'],
    survivors: CATALOG,
  },
  'catalog-bucket': {
    mutate: ['shared/catalog/publishing/*.ts', 'shared/catalog/file/snapshot.ts', 'shared/catalog/current.ts'],
    tests: ['test/unit/catalog/{current,snapshot,versions}.test.ts', 'test/component/catalog/publish.test.ts'],
    survivors: CATALOG_BUCKET,
  },
  orders: {
    mutate: [
      'shared/order/{*,lists/*,rows/*}.ts',
      'shared/people/name-index.ts',
      'shared/store/{ids,table-failures}.ts',
    ],
    tests: ['test/component/store/*.test.ts', 'test/unit/{order,store}/*.test.ts'],
    needsEngines: true,
    survivors: ORDERS,
  },
} as const satisfies Record<string, Part>;

export type PartName = keyof typeof PARTS;
export const isPart = (name: string): name is PartName => Object.hasOwn(PARTS, name);
