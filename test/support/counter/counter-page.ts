import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type Counter, openCounter } from '../../../infra/ops/counter/server/server.ts';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** The operator of a counter that a test opens. */
export const OPERATOR = 'Eva Farmacéutica';

/** Opens a counter on the table of the test server, which must be open. */
export const openTestCounter = (): Promise<Counter> =>
  openCounter({ port: 0, operator: OPERATOR, place: 'Local: prueba', isLocal: true });

export type Screen = {
  readonly width: number;
  readonly height: number;
  readonly language?: 'es' | 'en';
  readonly theme?: 'light' | 'dark';
};
export const DESK: Screen = { width: 1280, height: 900 };
export const PHONE: Screen = { width: 390, height: 844 };

export type CounterPage = {
  readonly page: Page;
  /** The messages of the console since the last call, failed answers and requests to other hosts among it; tests expect none. */
  takeComplaints(): string[];
  /** Returns the accessibility faults of the page as it is: `rule: selector`. */
  findAxeViolations(): Promise<string[]>;
  close(): Promise<void>;
};

export type CounterBrowser = {
  /** Opens the page of a counter, at a route of it: `#/orders/42`. */
  open(counter: Counter, screen?: Screen, route?: string): Promise<CounterPage>;
  close(): Promise<void>;
};

/** Starts a browser for the pages of counters. */
export async function startBrowser(): Promise<CounterBrowser> {
  if (!existsSync(CHROMIUM)) throw new Error(`no browser at ${CHROMIUM}: apt-get install chromium, or set CHROMIUM`);
  // A container has no user for Chromium's sandbox; the pages are our own.
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
  return {
    open: (counter, screen = DESK, route = '') => openPage(browser, counter, screen, route),
    close: () => browser.close(),
  };
}

async function openPage(browser: Browser, counter: Counter, screen: Screen, route: string): Promise<CounterPage> {
  const { width, height, language = 'es', theme = 'light' } = screen;
  const locale = language === 'es' ? 'es-MX' : 'en-GB';
  const context = await browser.newContext({ viewport: { width, height }, locale, colorScheme: theme });
  const page = await context.newPage();
  // A busy machine takes seconds to draw a view.
  page.setDefaultTimeout(30_000);
  const complaints = listenForComplaints(page, new URL(counter.address).origin);
  await page.goto(counter.address);
  await page.locator('main > *').first().waitFor();
  if (route) await page.evaluate(`location.hash = ${JSON.stringify(route)}`);
  return {
    page,
    takeComplaints: () => complaints.splice(0),
    findAxeViolations: () => findAxeViolations(page),
    close: () => context.close(),
  };
}

function listenForComplaints(page: Page, origin: string): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && url.protocol !== 'blob:') complaints.push(`request to ${url.origin}`);
  });
  return complaints;
}

type AxeResult = { readonly id: string; readonly nodes: readonly { readonly target: readonly unknown[] }[] };

async function findAxeViolations(page: Page): Promise<string[]> {
  // A script of the test's own runs beside the policy of the page, not under it.
  await page.evaluate(axe.source);
  const violations: AxeResult[] = await page.evaluate('axe.run().then((found) => found.violations)');
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}
