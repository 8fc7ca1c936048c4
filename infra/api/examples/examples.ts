import { ANSWERS, readJson } from '../files.ts';
import { CATALOG_EXAMPLES } from './catalog.ts';
import type { Example, Examples } from './example.ts';
import { ORDER_EXAMPLES } from './orders.ts';

const EXAMPLES: Examples = {
  'POST /api/token/': [
    {
      name: 'employee',
      summary: 'The demonstration insurer’s employee logs in',
      body: { email: 'aseguradora@demo.example', password: 'farmacia-demo-2026' },
      status: 200,
    },
    { name: 'nothingSent', summary: 'Neither e-mail nor password', body: {}, status: 400 },
  ],
  ...ORDER_EXAMPLES,
  ...CATALOG_EXAMPLES,
};

/** Returns the examples of an operation by its method and path. Throws when it has none. */
export function getExamples(operation: keyof Examples): readonly Example[] {
  const examples = EXAMPLES[operation];
  if (!examples) throw new Error(`no examples of ${operation} in infra/api/examples/`);
  return examples;
}

/** Returns the recorded answers by operation and by name of the example. */
export const readAnswers = () => readJson(ANSWERS) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
