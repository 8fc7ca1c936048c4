import type { Route } from '../../../shared/api/routes.ts';
import { ANSWERS, REQUESTS, readJson } from '../description.ts';

/** A request to the server with the demonstration catalog and users, and the status of its answer. */
export type Example = {
  readonly name: string;
  readonly summary: string;
  /** The test replaces the id of an order by that of a new one. */
  readonly path?: { readonly id: number };
  readonly query?: Readonly<Record<string, boolean | number | string | readonly (number | string)[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** The status of the answer; without it, the contract's success. */
  readonly status?: number;
};

// By the method and path of their operation. The receiver of an invoice has use S01: sales of a pharmacy are no personal deduction
// (RLISR art. 264), so not D01.
const EXAMPLES = readJson(REQUESTS) as Readonly<Record<string, readonly Example[]>>;

const PLAIN: readonly Example[] = [{ name: 'plain', summary: 'Without parameters' }];

/** Returns the examples of a route with their statuses; one without parameters for a list that has none. Else it throws. */
export function getExamples({
  method,
  path,
  contract,
}: Omit<Route, 'handler'>): readonly (Example & { readonly status: number })[] {
  const isPlain = method === 'GET' && !path.includes('{');
  const examples = EXAMPLES[`${method} ${path}`] ?? (isPlain ? PLAIN : undefined);
  if (!examples) throw new Error(`no examples of ${method} ${path} in infra/api/examples/requests.json`);
  const [success] = Object.keys(contract.answers);
  return examples.map((example) => ({ status: Number(success), ...example }));
}

export const readAnswers = () => readJson(ANSWERS) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Returns the answers of a route's examples; an example that is not recorded yet is left out. */
export function listAnswers(route: Omit<Route, 'handler'>) {
  const answers = readAnswers()[`${route.method} ${route.path}`] ?? {};
  const recorded = getExamples(route).filter(({ name }) => name in answers);
  return recorded.map(({ name, summary, status }) => ({ name, summary, status, body: answers[name] }));
}
export type AnswerExample = ReturnType<typeof listAnswers>[number];
