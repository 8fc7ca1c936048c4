import { inject } from 'vitest';
import { makeSandboxCall } from '../../../infra/local/payments/sandbox/calls.ts';
import { SandboxPayments } from '../../../infra/local/payments/sandbox/sandbox.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { openTable } from '../../../shared/store/table.ts';
import { inTime, paymentSuite } from '../../support/payments/payment-suite.ts';

paymentSuite('the sandbox', async () => {
  Object.assign(process.env, inject('serverEnvironment'));
  const provider = new SandboxPayments({ table: openTable(), pageUrl: 'http://localhost:3000/payments', now });
  return {
    provider,
    pay: async ({ id }) => void (await provider.decide(id, 'paid', inTime())),
    transfer: ({ id }, cents) => provider.transfer(Number(id.split('-')[1]), cents, inTime()),
    sign: async (orderId, attempt, at) => makeSandboxCall({ orderId, attempt, about: 'payment' }, at),
    passTime: async () => undefined,
  };
});
