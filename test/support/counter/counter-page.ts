import axe from 'axe-core';
import type { Browser, Frame, Page } from 'playwright-core';
import { folioOf } from '../orders/samples.ts';

export const DESKTOP = { width: 1280, height: 900 };
export const PHONE = { width: 390, height: 844 };

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

/** Opens a page in a desktop's size, which looks for changes every `refreshMs`. */
export async function openPage(browser: Browser, address: string, refreshMs = REFRESH_MS) {
  // The page speaks Spanish to a browser of any language.
  const context = await browser.newContext({ viewport: DESKTOP, locale: 'en-GB', colorScheme: 'light' });
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
    /** Throws unless the page as it is is accessible, and no wider than the screen of a phone or a world. */
    async expectFit() {
      const faults: string[] = [];
      for (const size of [PHONE, DESKTOP]) {
        await page.setViewportSize(size);
        const scrollWidth: number = await page.evaluate('document.documentElement.scrollWidth');
        if (scrollWidth !== size.width) faults.push(`it is ${scrollWidth} wide, not ${size.width}`);
      }
      faults.push(...(await findAxeViolations(page)));
      throwFaults(faults);
    },
    /** Throws unless the page as it is can be read in dark colours. */
    async expectDark() {
      await page.emulateMedia({ colorScheme: 'dark' });
      throwFaults(await findAxeViolations(page, 'color-contrast'));
      await page.emulateMedia({ colorScheme: 'light' });
    },
    /** Closes the page. Throws if it has complained of anything that the test has not taken. */
    async close() {
      const untaken = complaints.splice(0);
      await context.close();
      throwFaults(untaken);
    },
  };
}

function throwFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(faults.join('\n'));
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

/** Returns the accessibility faults of a page as it is, by this rule or all: `rule: selector`. */
async function findAxeViolations(page: Page, rule?: string): Promise<string[]> {
  // A script of the test's own runs beside the policy of the page, not under it.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  // The frame of a document, which is none of ours to judge, has no axe that would answer.
  const options = { iframes: false, ...(rule && { runOnly: [rule] }) };
  const run = `axe.run(${JSON.stringify(options)}).then((found) => found.violations)`;
  const violations: AxeResult[] = await page.evaluate(run);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

/** Lets a page believe that its tab is hidden, or looked at again. */
export const seeTab = (page: Page, state: 'hidden' | 'visible'): Promise<void> =>
  page.evaluate(`{
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' });
    document.dispatchEvent(new Event('visibilitychange'));
  }`);

/** Returns the frame of the viewer once it has drawn this. */
export async function drawnFrame(page: Page, label: string): Promise<Frame> {
  await page.frameLocator('iframe').getByRole('img', { name: label }).waitFor();
  const frame = page.frames().find((each) => each.url().endsWith('/viewer.html'));
  if (!frame) throw new Error('no frame');
  return frame;
}
