import axe from 'axe-core';
import type { Browser, Frame, Page } from 'playwright-core';
import { folioOf } from '../orders/samples.ts';

export type Screen = {
  readonly width: number;
  readonly height: number;
  readonly theme?: 'light' | 'dark';
};
export const DESK: Screen = { width: 1280, height: 900 };
export const PHONE: Screen = { width: 390, height: 844 };
/** Each view is tried in both sizes and colours. */
export const SCREENS = [
  ['a desk, light', { ...DESK, theme: 'light' }],
  ['a phone, dark', { ...PHONE, theme: 'dark' }],
] as const satisfies readonly (readonly [string, Screen])[];

export type CounterPage = Awaited<ReturnType<typeof openPage>>;

/** Shows an order on a page that is open, until it can be acted on. */
export async function showOrder(shown: CounterPage, id: number): Promise<CounterPage> {
  await shown.page.evaluate(`location.hash = '#/orders/${id}'`);
  await shown.page.getByRole('heading', { name: folioOf(id) }).waitFor();
  await shown.page.getByRole('group', { name: 'Acciones' }).waitFor();
  return shown;
}

/** The page looks for changes every 5 s. */
const REFRESH_MS = 5_000;

/** Opens a page of ours, which looks for changes after `refreshMs`. */
export async function openPage(
  browser: Browser,
  address: string,
  { width, height, theme = 'light' }: Screen,
  refreshMs = REFRESH_MS,
) {
  // The page speaks Spanish to a browser of any language.
  const context = await browser.newContext({ viewport: { width, height }, locale: 'en-GB', colorScheme: theme });
  await context.addInitScript(`{
    const real = setTimeout;
    window.setTimeout = (run, ms) => real(run, ms === ${REFRESH_MS} ? ${refreshMs} : ms);
  }`);
  const page = await context.newPage();
  // A busy machine takes seconds to draw a view.
  page.setDefaultTimeout(30_000);
  const complaints = listenForComplaints(page, new URL(address).origin);
  await page.goto(address);
  await page.locator('main > *').first().waitFor();
  return {
    page,
    /** Returns the messages of the console since the last call, failed answers and requests to other hosts among them. */
    takeComplaints: () => complaints.splice(0),
    /** Throws unless the page as it is is accessible, and no wider than its screen. */
    async expectFit() {
      const scrollWidth: number = await page.evaluate('document.documentElement.scrollWidth');
      const faults = scrollWidth === width ? [] : [`it is ${scrollWidth} wide, not ${width}`];
      faults.push(...(await findAxeViolations(page)));
      if (faults.length > 0) throw new Error(faults.join('\n'));
    },
    /** Closes the page. Throws if it has complained of anything that the test has not taken. */
    async close() {
      const untaken = complaints.splice(0);
      await context.close();
      if (untaken.length > 0) throw new Error(untaken.join('\n'));
    },
  };
}

/** Presses keys one after another; what is no key is typed. */
export async function press({ keyboard }: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await (KEY.test(key) ? keyboard.press(key) : keyboard.type(key));
}

const KEY = /^(.|Tab|Enter|Escape|Arrow[A-Z][a-z]+|(Control|Shift).+)$/;

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

/** Returns the accessibility faults of a page as it is: `rule: selector`. */
async function findAxeViolations(page: Page): Promise<string[]> {
  // A script of the test's own runs beside the policy of the page, not under it.
  await page.evaluate(axe.source);
  const violations: AxeResult[] = await page.evaluate('axe.run().then((found) => found.violations)');
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

/** Returns the frame of the viewer once it has drawn this. */
export async function drawnFrame(page: Page, label: string): Promise<Frame> {
  await page.frameLocator('iframe').getByRole('img', { name: label }).waitFor();
  const frame = page.frames().find((each) => each.url().endsWith('/viewer.html'));
  if (!frame) throw new Error('no frame');
  return frame;
}
