import { offerSandbox } from '../../../shared/payments/configured.ts';
import { now } from '../../../shared/runtime/clock.ts';

/** Lets the handlers of this process collect through the local server's sandbox. */
export const offerLocalPayments = (): void =>
  offerSandbox(async (table) => {
    const { SandboxPayments } = await import('./sandbox/sandbox.ts');
    return new SandboxPayments({ table, pageUrl: process.env.SANDBOX_PAYMENTS_URL ?? '', now });
  });
