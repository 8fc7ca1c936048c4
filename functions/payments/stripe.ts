import { providerCallContract } from '../../shared/api/orders/payments.ts';
import { payments, table } from '../../shared/deps.ts';
import { route } from '../../shared/http/route.ts';
import { receiveCall } from '../../shared/payments/reconcile-payments.ts';

const nobody = async () => ({});

export const handler = route(providerCallContract, nobody, async ({ bytes, headers, now }) => {
  const call = { body: bytes(), signature: headers['Stripe-Signature'] };
  await receiveCall(call, { by: 'system', now }, { table: table(), payments });
  return { body: { received: true } };
});
