import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ORDER_STATUSES, PAYMENT_STATUSES } from '../../../shared/order/rules/status.ts';

const PAGE = join(import.meta.dirname, '../../../infra/counter/page');
const VIEWS = ['figures', 'invoices', 'order', 'products', 'queue'];

/** Returns the classes of a view's styles, each once: those with which a selector begins. */
const listClasses = (view: string): string[] => {
  const styles = globSync([`${view}/*.css`, `${view}.css`], { cwd: PAGE }).map((file) =>
    readFileSync(join(PAGE, file), 'utf8'),
  );
  return [...new Set(styles.join('\n').match(/^\.[a-z-]+/gm) ?? [])].filter(
    (name) => !['.badge', '.card'].includes(name),
  );
};

it('a class is styled by one view only, as all styles are in one page', () => {
  const all = VIEWS.flatMap(listClasses);
  expect(all).toContain('.order-columns');
  expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([]);
});

it('each status has a colour in the charts', () => {
  const styles = readFileSync(join(PAGE, 'figures/figures.css'), 'utf8');
  const fills = styles.match(/\w+_status-\w+(?=[^{]*\{\s*background-color)/g);
  const orders = ORDER_STATUSES.map((status) => `order_status-${status}`);
  const payments = PAYMENT_STATUSES.map((status) => `payment_status-${status}`);
  expect(fills?.toSorted()).toEqual([...orders, ...payments].sort());
});
