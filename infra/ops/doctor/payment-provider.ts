import { PROVIDER_CALL_PATH } from '../../../shared/api/orders/payments.ts';
import { isKeyOfMode, parseStripeSecrets, type StripeSecrets } from '../../../shared/payments/configured.ts';
import { inspectStripe, type StripeInspection } from '../../../shared/payments/stripe/account.ts';
import { paymentsConfig, stripeConfig } from '../../../shared/runtime/config.ts';
import { setting } from '../errors.ts';
import { type Check, type Finding, isProduction } from './check.ts';
import { fetchSecret } from './secrets.ts';

const TIMEOUT_MS = 5_000;

/** The check of the payment provider: its key, what the account may collect, and the endpoint that it calls. */
export const paymentChecks = (): Check[] => [
  {
    name: 'payment provider',
    needs: ['PURPOSE'],
    remedy:
      'Store {"key":"sk_…","webhookSecret":"whsec_…"} in the secret that `payments.secretName` names, and register the ' +
      'endpoint as infra/cloud/README.md says under "Connect Stripe".',
    look: async () => {
      const { PAYMENTS_PROVIDER } = paymentsConfig();
      if (PAYMENTS_PROVIDER === 'none') return { ok: 'none: orders are not collected' };
      if (PAYMENTS_PROVIDER === 'sandbox') return { ok: 'the sandbox, which collects nothing' };
      return checkStripe(await readSecrets());
    },
  },
];

async function readSecrets(): Promise<StripeSecrets> {
  const { STRIPE_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_SECRET_ID = '' } = stripeConfig();
  if (STRIPE_KEY !== undefined) return { key: STRIPE_KEY, webhookSecret: STRIPE_WEBHOOK_SECRET };
  return parseStripeSecrets(await fetchSecret(STRIPE_SECRET_ID));
}

async function checkStripe({ key, webhookSecret }: StripeSecrets): Promise<Finding> {
  if (!isKeyOfMode(key, isProduction()))
    return { failed: isProduction() ? 'Production needs a live key.' : 'A demonstration needs a test key.' };
  const callUrl = new URL(PROVIDER_CALL_PATH.slice(1), withSlash(setting('API_URL'))).href;
  try {
    const access = { key, url: stripeConfig().STRIPE_URL, callUrl };
    return judge(await inspectStripe(access, AbortSignal.timeout(TIMEOUT_MS)), webhookSecret !== undefined);
  } catch (error) {
    // The text of a refusal may quote the key.
    const cause = error instanceof Error ? error.cause : undefined;
    return {
      failed: `Stripe does not take the key, or does not answer (${cause instanceof Error ? cause.name : 'no answer'}).`,
    };
  }
}

const withSlash = (url: string): string => (url.endsWith('/') ? url : `${url}/`);

const ENDPOINTS: Readonly<Record<Exclude<StripeInspection['endpoint'], 'registered'>, string>> = {
  missing: 'No endpoint of the account calls the stage',
  disabled: 'The endpoint that calls the stage is disabled',
  other_version: 'The endpoint that calls the stage has another API version',
};

/** The jobs find payments without calls, only later. */
function judge({ collections, endpoint, missingEvents }: StripeInspection, hasSecret: boolean): Finding {
  if (collections.length === 0) return { failed: 'The account may collect neither cards nor OXXO nor SPEI yet.' };
  if (endpoint !== 'registered') return { warning: `${ENDPOINTS[endpoint]}: payments are seen within the hour.` };
  if (!hasSecret) return { warning: 'The secret has no webhookSecret: payments are seen within the hour.' };
  if (missingEvents.length > 0) return { warning: `The endpoint does not get ${missingEvents.join(', ')}.` };
  return { ok: `${isProduction() ? 'a live' : 'a test'} key, which collects ${collections.join(', ')}` };
}
