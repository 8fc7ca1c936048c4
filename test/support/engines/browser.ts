import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

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

/** Starts a browser for our own pages. */
export async function startBrowser(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) throw new Error(`no browser at ${CHROMIUM}: apt-get install chromium, or set CHROMIUM`);
  // A container has no user for Chromium's sandbox.
  const args = ['--no-sandbox', '--disable-gpu', `--disable-features=${SWITCHED_OFF.join(',')}`];
  return chromium.launch({ executablePath: CHROMIUM, args });
}
