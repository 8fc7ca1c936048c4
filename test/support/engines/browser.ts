import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, type LaunchOptions } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];
// Chrome and Edge where their installers put them, which Playwright knows for each platform.
const CHANNELS = ['chrome', 'msedge', 'chromium'];

const NONE =
  'The tests of pages need a browser: install Chromium ("apt-get install chromium" on Debian and Ubuntu), Chrome or Edge, or name one in CHROMIUM.';

// With each window Chromium would load a page of its own for the address bar, with half a second of work. This list takes the
// place of Playwright's, whose features that cost or change something here are therefore named again.
const SWITCHED_OFF = [
  'WebUIOmniboxAimPopup',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
];

// A container has no user for Chromium's sandbox.
const ARGS = ['--no-sandbox', '--disable-gpu', `--disable-features=${SWITCHED_OFF.join(',')}`];

/** Starts a browser for our own pages: the one that `CHROMIUM` names, one on the path, or an installed Chrome or Edge. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM || findOnPath();
  const choices: LaunchOptions[] = executablePath ? [{ executablePath }] : CHANNELS.map((channel) => ({ channel }));
  for (const choice of choices) {
    const browser = await chromium.launch({ ...choice, args: ARGS }).catch((error: unknown) => {
      if (executablePath) throw error;
      return undefined;
    });
    if (browser) return browser;
  }
  throw new Error(NONE);
}

const findOnPath = (): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((file) => existsSync(file));
