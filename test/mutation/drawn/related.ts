import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { TestSet } from './tests.ts';

type Related = { readonly unit: readonly string[]; readonly component: readonly string[] };

/*
 * The tests that should notice a mutant, by the folder of the mutated file; the longest folder that fits counts. Each area
 * has the unit tests of its rules, and a few component tests of the routes, jobs and commands that use it, because the whole
 * suite would take minutes for each mutant. They are globs, so that a file which is split or renamed within its area still
 * counts. Unit tests that import the mutated file are added. Tests with a browser, the local server or bundles are left out.
 */
const PLACING = ['routes/orders-{calculate,create,update}*'];
const INVOICING = ['invoicing/*', 'store/invoices*', 'ops/commands*'];
const EVENTS = ['events/*', 'routes/{events,orders-events}*'];
const ACCESS = ['http/{access,token}*', 'routes/{token,me}*', 'ops/clients*'];
const LISTS = ['orders/*', 'store/*', 'routes/orders-list*', 'ops/orders-{rebuild,reports}*'];
const RELATED: Readonly<Record<string, Related>> = {
  'shared/domain': { unit: ['domain'], component: PLACING },
  'shared/domain/figures': { unit: ['domain', 'ops'], component: ['ops/orders-reports*'] },
  'shared/domain/invoices': { unit: ['domain', 'invoicing'], component: INVOICING },
  'shared/domain/medicines': { unit: ['domain', 'catalog'], component: PLACING },
  'shared/domain/prescriptions': {
    unit: ['domain'],
    component: [
      'documents/*',
      'routes/orders-{add-prescriptions,create}*',
      'ops/{clients,orders}*',
      'orders/prescriptions*',
      'people/*',
    ],
  },
  'shared/store': { unit: ['store'], component: ['store/*', 'orders/*'] },
  'shared/store/access': { unit: ['store', 'access'], component: ACCESS },
  'shared/store/events': { unit: ['store', 'events'], component: ['store/*', ...EVENTS] },
  'shared/store/invoices': { unit: ['store'], component: INVOICING },
  'shared/store/order-lists': { unit: ['store'], component: LISTS },
  'shared/store/orders': { unit: ['store'], component: ['store/*', 'orders/*', 'routes/orders-*'] },
  'shared/store/people': {
    unit: ['store'],
    component: ['store/*', 'documents/*', 'people/*', 'ops/clients*', 'routes/{me,orders-create}*'],
  },
  'shared/store/prescriptions': {
    unit: ['store'],
    component: ['documents/*', 'routes/orders-*', 'orders/prescriptions*', 'ops/orders*'],
  },
  'shared/store/webhooks': { unit: ['store', 'webhooks'], component: EVENTS },
  'shared/usecases/access': { unit: ['access'], component: ACCESS },
  'shared/usecases/events': { unit: ['events'], component: [...EVENTS, 'ops/commands*'] },
  'shared/usecases/invoices': { unit: ['invoicing'], component: [...INVOICING, 'routes/orders-request-invoice*'] },
  'shared/usecases/operations': {
    unit: ['usecases'],
    component: ['orders/next-actions*', 'orders/moves*', 'ops/{orders,operator}*'],
  },
  'shared/usecases/order-lists': { unit: ['usecases'], component: LISTS },
  'shared/usecases/orders': { unit: ['usecases'], component: ['orders/*', 'routes/orders-*'] },
  'shared/usecases/people': { unit: ['usecases'], component: ['documents/*', 'people/*', 'ops/clients*'] },
  'shared/usecases/prescriptions': {
    unit: ['usecases', 'documents'],
    component: ['documents/*', 'routes/orders-{add-prescriptions,create}*', 'orders/prescriptions*', 'ops/orders*'],
  },
  'shared/usecases/quotes': { unit: ['usecases'], component: ['orders/held-prices*', ...PLACING] },
  'shared/usecases/webhooks': { unit: ['webhooks'], component: [...EVENTS, 'ops/commands*'] },
  'shared/http': { unit: ['http', '../contract'], component: ['http/*', 'routes/{orders,products}-list*'] },
};

const BROWSER = /engines\/browser\.ts|counter-world\.ts/;

/**
 * Returns the unit tests of a mutant, and the component tests to be asked if those notice nothing. Its area is that of the
 * file where it was drawn; `now` is the file where its code is now.
 */
export function relatedTests(root: string, drawn: string, now = drawn): readonly [TestSet, TestSet] {
  const area = Object.keys(RELATED)
    .filter((folder) => drawn.startsWith(`${folder}/`))
    .reduce((longest, folder) => (folder.length > longest.length ? folder : longest), '');
  const related = RELATED[area];
  if (!related) throw new Error(`${drawn} is in no area of RELATED`);
  const unit = related.unit.map((folder) => `test/unit/${folder}/**/*.test.ts`);
  const importing = globSync('test/unit/**/*.test.ts', { cwd: root }).filter((test) => imports(root, test, now));
  const component = related.component.map((name) => `test/component/${name.replace(/\*$/, '*.test.ts')}`);
  return [
    { project: 'unit', files: unique([...globSync(unit, { cwd: root }), ...importing]) },
    {
      project: 'component',
      files: unique(globSync(component, { cwd: root })).filter((file) => !needsBrowser(root, file)),
    },
  ];
}

const unique = (files: readonly string[]) => [...new Set(files.map((file) => posix.normalize(file)))].sort();

function imports(root: string, test: string, mutated: string): boolean {
  const specifiers = readFileSync(join(root, test), 'utf8').matchAll(/from '(\.[^']+)'/g);
  return specifiers.some(([, specifier = '']) => posix.join(posix.dirname(test), specifier) === mutated);
}

const needsBrowser = (root: string, test: string) => BROWSER.test(readFileSync(join(root, test), 'utf8'));
