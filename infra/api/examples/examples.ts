import { ACCESS_EXAMPLES } from './access.ts';
import { CATALOG_EXAMPLES } from './catalog.ts';
import type { Example, Examples } from './example.ts';
import { INVOICE_EXAMPLES } from './invoices.ts';
import { ORDER_EXAMPLES } from './orders.ts';
import { QUOTE_EXAMPLES } from './quotes.ts';

const EXAMPLES: Examples = {
  ...ACCESS_EXAMPLES,
  ...QUOTE_EXAMPLES,
  ...ORDER_EXAMPLES,
  ...INVOICE_EXAMPLES,
  ...CATALOG_EXAMPLES,
};

/** Returns the examples of an operation by its method and path. Throws when it has none. */
export function getExamples(operation: keyof Examples): readonly Example[] {
  const examples = EXAMPLES[operation];
  if (!examples) throw new Error(`no examples of ${operation} in infra/api/examples/`);
  return examples;
}
