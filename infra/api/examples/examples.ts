import type { Route } from '../../../shared/api/routes.ts';
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
    },
    { name: 'nothingSent', summary: 'Neither e-mail nor password', body: {}, status: 400 },
  ],
  ...ORDER_EXAMPLES,
  ...CATALOG_EXAMPLES,
  'GET /api/me/': [{ name: 'employee', summary: 'The profile of the demonstration insurer’s employee' }],
};

/** Returns the examples of a route with their statuses. Throws when it has none. */
export function getExamples({
  method,
  path,
  contract,
}: Omit<Route, 'handler'>): readonly (Example & { readonly status: number })[] {
  const examples = EXAMPLES[`${method} ${path}` as keyof Examples];
  if (!examples) throw new Error(`no examples of ${method} ${path} in infra/api/examples/`);
  const [success] = Object.keys(contract.answers);
  return examples.map((example) => ({ status: Number(success), ...example }));
}

/** Returns the recorded answers by operation and by name of the example. */
export const readAnswers = () => readJson(ANSWERS) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Returns the answers of a route's examples; an example that is not recorded yet is left out. */
export function listAnswers(route: Omit<Route, 'handler'>) {
  const answers = readAnswers()[`${route.method} ${route.path}`] ?? {};
  const recorded = getExamples(route).filter(({ name }) => name in answers);
  return recorded.map(({ name, summary, status }) => ({ name, summary, status, body: answers[name] }));
}
export type AnswerExample = ReturnType<typeof listAnswers>[number];
