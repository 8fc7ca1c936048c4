import { buffer } from 'node:stream/consumers';
import { beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import type { Calling } from '../../../infra/local/payments/payment-page.ts';
import { SandboxPayments } from '../../../infra/local/payments/sandbox/sandbox.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { openTable } from '../../../shared/store/table.ts';
import { sendHttp } from '../../support/http/http.ts';
import { loopback } from '../../support/http/loopback.ts';
import { inTime, newAttempt } from '../../support/payments/payment-suite.ts';
import { openTestGateway } from '../../support/servers/test-gateway.ts';

let sandbox: SandboxPayments;
beforeAll(() => {
  for (const [name, value] of Object.entries(inject('serverEnvironment'))) vi.stubEnv(name, value);
  sandbox = new SandboxPayments({ table: openTable(), pageUrl: '', now });
});

type Heard = { readonly line: string; readonly orderId: number };

/** Opens the local gateway, with a server in place of the provider's route. */
async function openPages(calling: Calling = 'at once') {
  const heard: Heard[] = [];
  const route = await loopback(async (request, response) => {
    const call = { body: await buffer(request), signature: String(request.headers['stripe-signature']) };
    const said = await sandbox.readCall(call);
    heard.push({ line: `${request.method} ${request.url}`, orderId: said?.orderId ?? 0 });
    response.end();
  });
  const gateway = await openTestGateway({ paymentCalls: calling });
  onTestFinished(async () => {
    await gateway.close();
    await route.close();
  });
  const visit = (method: string, id: string, body?: string, more: Record<string, string> = {}) => {
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    // The provider's call goes to the host that the page was asked from.
    const headers = { Host: new URL(route.url).host, ...(body && form), ...more };
    return sendHttp(gateway.url, `/sandbox-payments/${id}`, { method, headers, body });
  };
  return { heard, visit, reports: gateway.reports };
}

const request = async () => {
  const term = { createdAt: now().toISOString(), expiresAt: '2099-01-01T00:00:00.000Z' };
  const attempt = newAttempt('card', term);
  return { orderId: attempt.orderId, id: (await sandbox.request(attempt, inTime())).id };
};
const statusOf = async (id: string) => (await sandbox.look(id, inTime())).state.status;

// `browser/local-pages` has what it shows.
describe('the page of a payment on the local server', () => {
  it.each([
    ['paid', 'paid'],
    ['rejected', 'failed'],
    ['expired', 'expired'],
  ])('does what the outcome %s says, and calls as the provider', async (outcome, status) => {
    const { visit, heard } = await openPages();
    const { id, orderId } = await request();
    const posted = await visit('POST', id, `outcome=${outcome}`);
    expect([posted.status, posted.headers.location]).toEqual([303, `/sandbox-payments/${id}`]);
    expect(await statusOf(id)).toBe(status);
    expect(heard).toEqual([{ line: 'POST /v2/api/payments/stripe/', orderId }]);
  });

  it('leaves a payment as it is after another outcome, a page of another site, or another payment', async () => {
    const { visit, heard } = await openPages();
    const { id } = await request();
    expect((await visit('POST', id, 'outcome=given')).status).toBe(400);
    expect((await visit('POST', id)).status).toBe(400);
    expect((await visit('POST', id, 'outcome=paid', { Origin: 'https://evil.example' })).status).toBe(403);
    expect((await visit('POST', 'sandbox-1-999', 'outcome=paid')).status).toBe(404);
    expect((await visit('GET', '')).status).toBe(404);
    expect(heard).toEqual([]);
    expect(await statusOf(id)).toBe('open');
  });

  it('calls twice, or late and after the next, when it is asked to', async () => {
    const twice = await openPages('twice');
    const first = await request();
    await twice.visit('POST', first.id, 'outcome=paid');
    expect(twice.heard.map(({ orderId }) => orderId)).toEqual([first.orderId, first.orderId]);

    const late = await openPages('late');
    const [second, third] = [await request(), await request()];
    await late.visit('POST', second.id, 'outcome=paid');
    expect(late.heard).toEqual([]);
    await late.visit('POST', third.id, 'outcome=rejected');
    expect(late.heard.map(({ orderId }) => orderId)).toEqual([third.orderId, second.orderId]);
  });

  it('keeps the outcome when the call cannot be made', async () => {
    const { visit, reports } = await openPages();
    const { id } = await request();
    const closed = await loopback(() => undefined);
    await closed.close();
    expect((await visit('POST', id, 'outcome=paid', { Host: new URL(closed.url).host })).status).toBe(303);
    expect(await statusOf(id)).toBe('paid');
    expect(reports).toEqual([expect.stringContaining('call failed')]);
  });
});
