import { defineConfig } from 'vitest/config';

type Part = {
  /** The files to mutate. */
  readonly mutate: readonly string[];
  /** The tests that should notice it. Properties take seconds for each mutant, and each rule has a plain example too. */
  readonly tests: readonly string[];
  /** True if the tests need DynamoDB, S3 and SES. */
  readonly needsEngines?: true;
};

const PARTS: Readonly<Record<string, Part>> = {
  domain: {
    mutate: ['shared/domain/*.ts', 'shared/*/rules/**/*.ts'],
    tests: ['test/unit/{domain,invoices,order,payments,people,prescriptions}/!(*.property).test.ts'],
  },
  catalog: {
    mutate: ['shared/catalog/**/*.ts'],
    tests: ['test/unit/catalog/*.test.ts', 'test/component/catalog/*.test.ts'],
    needsEngines: true,
  },
  orders: {
    mutate: [
      'shared/order/{*,lists/*,rows/*}.ts',
      'shared/people/name-index.ts',
      'shared/store/{ids,table-failures}.ts',
    ],
    tests: ['test/component/store/*.test.ts', 'test/unit/{order,store}/*.test.ts'],
    needsEngines: true,
  },
};

export const partNames = Object.keys(PARTS);

export function findPart(name: string): Part {
  const part = PARTS[name];
  if (!part) throw new Error(`There is no part "${name}": ${partNames.join(', ')}`);
  return part;
}

export default defineConfig(() => {
  const { tests, needsEngines } = findPart(process.env.MUTATED_PART ?? '');
  return {
    test: {
      include: [...tests],
      globalSetup: needsEngines ? ['test/support/engines/engines.ts'] : [],
      unstubEnvs: true,
      testTimeout: 60_000,
      hookTimeout: 60_000,
      env: { SEED: '1' },
    },
  };
});
