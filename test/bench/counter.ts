import type { BrowserContext } from 'playwright-core';
import type { CommandName, DocumentOf, InputOf } from '../../infra/counter/server/counter-commands.ts';
import { forgetQueue } from '../../infra/counter/server/orders-queue.ts';
import { type Counter, openCounter } from '../../infra/counter/server/server.ts';
import { table } from '../../shared/deps.ts';
import { DESKTOP } from '../support/counter/counter-page.ts';
import { startBrowser } from '../support/engines/browser.ts';
import { type Figure, percentile, timesMs } from './figures.ts';
import { type Bench, findOrCreateClient, withEngines } from './frame.ts';
import { type History, RARE_NAME, storeHistory, storeOrdersAsRead } from './orders/history.ts';

const ORDERS = 100_000;
const RUNS = 20;
const OPENINGS = 10;
const MOST_FOUND = 100;

/** Measures what the counter asks for most at 100,000 orders: its whole queue, in a browser and over HTTP, and searches. */
export const benchCounter = (): Promise<Figure[]> =>
  withEngines(undefined, async (bench) => {
    await storeOrders(bench);
    const counter = await openCounter({ port: 0, operator: 'bench', place: 'Local', isLocal: true });
    const { queued, figures } = await measureCounter(counter);
    const inBrowser = await measureBrowser(counter, queued);
    await counter.close();
    return [inBrowser, ...figures];
  });

/** Stores what lists and the queue show of the orders, and each whole order when a search first finds it. */
async function storeOrders(bench: Bench): Promise<void> {
  const history: History = { clientId: (await findOrCreateClient(bench, 'bench-counter')).id, orders: ORDERS };
  await storeHistory(bench, history);
  storeOrdersAsRead(table(), [history]);
}

async function measureCounter(counter: Counter): Promise<{ queued: number; figures: Figure[] }> {
  const ask = async <Name extends CommandName>(name: Name, input: InputOf<Name>): Promise<DocumentOf<Name>> => {
    const response = await fetch(new URL(`/commands/${name}`, counter.address), {
      method: 'POST',
      headers: { Authorization: `Bearer ${counter.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(input),
    });
    const { document } = (await response.json()) as { document: DocumentOf<Name> };
    return document;
  };
  const askPage = (page: number) => () => {
    // Without this, most pages would come from the reading before.
    forgetQueue();
    return ask('orders-queue', { tab: 'all', page });
  };
  const { orders, counts } = await askPage(1)();
  const [order] = orders;
  if (!order) throw new Error('no order is open');
  const search = (text: string) => () => ask('orders-search', { text, limit: MOST_FOUND });
  const figures = [
    await timed(`a page of the ${counts.all} orders of the counter's queue`, askPage(1)),
    await timed('its search by folio', search(order.folio)),
    await timed('by the full name of one patient', search(`josé núñez ${RARE_NAME}`)),
    await timed('by a name of 100 patients', search(RARE_NAME)),
    await timed('by a name that is too common', search('maría')),
  ];
  return { queued: counts.all, figures };
}

/** Measures how long a new tab takes to show the first rows of the queue and the number of all of its orders. */
async function measureBrowser(counter: Counter, queued: number): Promise<Figure> {
  const browser = await startBrowser();
  // The window is open before, as that of somebody at work.
  const window = await browser.newContext({ viewport: DESKTOP, locale: 'es-MX' });
  await window.newPage();
  const times: number[] = [];
  for (let opening = 0; opening <= OPENINGS; opening++) times.push(await openQueue(window, counter, queued));
  await browser.close();
  // During the first opening the window may still be drawn.
  return toFigure(`the ${queued} orders of the counter's queue in a new tab, until they are seen`, times.slice(1));
}

/** Returns the milliseconds from the navigation of a new tab until its first rows and the number of all orders are painted. */
async function openQueue(window: BrowserContext, counter: Counter, queued: number): Promise<number> {
  const page = await window.newPage();
  const all = `Todas ${queued.toLocaleString('es-MX')}`;
  // A task after the next frame runs when that frame has been painted. The clock of a page counts from its navigation.
  await page.addInitScript(`
    const isDrawn = () =>
      document.querySelector('tbody tr') && [...document.querySelectorAll('button')].some((button) => button.innerText === '${all}');
    globalThis.seen = new Promise((resolve) =>
      new MutationObserver((_, observer) => {
        if (!isDrawn()) return;
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
      }).observe(document, { childList: true, subtree: true }),
    );`);
  forgetQueue();
  await page.goto(counter.address);
  const seen: number = await page.evaluate('seen');
  await page.close();
  return seen;
}

const timed = async (what: string, ask: () => Promise<unknown>): Promise<Figure> =>
  toFigure(what, await timesMs(RUNS, ask));

const toFigure = (what: string, times: readonly number[]): Figure => ({
  what: `${what} at ${ORDERS} orders: p50, p95`,
  value: [percentile(times, 0.5), percentile(times, 0.95)],
  unit: 'ms',
  bar: 1_000,
});
