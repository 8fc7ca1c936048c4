import { CATALOG } from './survivors/catalog.ts';
import { DOMAIN } from './survivors/domain.ts';
import { ORDERS } from './survivors/orders.ts';

/** By file, a mutant that no test notices (the changed line), and why that is right. */
export type Survivors = Readonly<Record<string, Readonly<Record<string, string>>>>;

export type Part = {
  /** The code that is changed. */
  readonly mutate: readonly string[];
  /** The tests that have to notice. */
  readonly tests: readonly string[];
  /** Whether these need DynamoDB, S3 and SES. */
  readonly needsEngines?: true;
  readonly survivors: Survivors;
};

export const PARTS = {
  domain: { mutate: ['shared/domain/**/*.ts'], tests: ['test/unit/domain/**/*.test.ts'], survivors: DOMAIN },
  catalog: { mutate: ['shared/catalog/**/*.ts'], tests: ['test/unit/catalog/**/*.test.ts'], survivors: CATALOG },
  orders: {
    mutate: ['shared/store/{order,orders,status}*.ts'],
    tests: ['test/component/order-store.test.ts'],
    needsEngines: true,
    survivors: ORDERS,
  },
} as const satisfies Record<string, Part>;

export type PartName = keyof typeof PARTS;
export const isPart = (name: string): name is PartName => Object.hasOwn(PARTS, name);
