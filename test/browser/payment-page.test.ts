import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { SandboxPayments } from '../../infra/local/payments/sandbox/sandbox.ts';
import { now } from '../../shared/runtime/clock.ts';
import { openTable } from '../../shared/store/table.ts';
import { openPage, SCREENS } from '../support/counter/counter-page.ts';
import { startBrowser } from '../support/engines/browser.ts';
import { inTime, newAttempt } from '../support/payments/payment-suite.ts';
import { openTestGateway } from '../support/servers/test-gateway.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser?.close());

describe('the page of a payment of the sandbox', () => {
  it.each(SCREENS)('shows a voucher and takes its outcome on %s', async (_, screen) => {
    for (const [variable, value] of Object.entries(inject('serverEnvironment'))) vi.stubEnv(variable, value);
    const gateway = await openTestGateway();
    onTestFinished(() => gateway.close());
    const { origin } = new URL(gateway.url);
    const sandbox = new SandboxPayments({ table: openTable(), pageUrl: `${origin}/sandbox-payments`, now });
    const term = { createdAt: now().toISOString(), expiresAt: '2099-01-01T00:00:00.000Z' };
    const { id, reference } = await sandbox.request(newAttempt('oxxo', term), inTime());
    const { page, expectFit, close } = await openPage(browser, reference.externalUrl, screen);
    onTestFinished(close);

    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Pedido RX-00000123');
    expect(await page.locator('.total').innerText()).toMatch(/Total\s+\$819\.84\s+MXN/);
    expect(await page.getByRole('button').allInnerTexts()).toEqual(['Pagado', 'Rechazado', 'Vencido']);
    await expectFit();
    await page.getByRole('button', { name: 'Pagado' }).click();
    await page.getByRole('status').getByText('Se recibió el pago.').waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
    await expectFit();
    expect((await sandbox.look(id, inTime())).state).toMatchObject({ status: 'paid', receivedCents: 81_984 });
  });
});
