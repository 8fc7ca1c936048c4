import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod';
import { parseSigningKeys } from '../../../shared/access/signing-keys.ts';
import { productsContract } from '../../../shared/api/catalog/products.ts';
import { PROVIDER_CALL_PATH } from '../../../shared/api/orders/payments.ts';
import type { Catalog } from '../../../shared/catalog/catalog.ts';
import type { Pointer } from '../../../shared/catalog/file/snapshot.ts';
import { TO_FILL_IN } from '../../../shared/catalog/publishing/folder/record-lines.ts';
import { isKeyOfMode, parseStripeSecrets, type StripeSecrets } from '../../../shared/payments/configured.ts';
import { inspectStripe, type StripeInspection } from '../../../shared/payments/stripe/calls.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { facturapiConfig, invoicingConfig, paymentsConfig, stripeConfig } from '../../../shared/runtime/config.ts';
import { withPublishedCatalog } from '../catalog/published-catalog.ts';
import { countText } from '../output.ts';
import { apiUrl, type Check, type Finding, isProduction } from './check.ts';

export function catalogChecks(): Check[] {
  return [
    {
      name: 'catalog',
      step: 'Publish a catalog with products that can be bought',
      needs: ['CATALOG_BUCKET'],
      remedy: 'Publish one with active products in stock: catalog publish <folder>.',
      look: () =>
        withPublishedCatalog((catalog, pointer) => checkCatalog(pointer, catalog.products(canBeBought()).count)),
    },
    {
      name: 'deliveries',
      step: 'Say where orders are collected or delivered',
      needs: ['CATALOG_BUCKET'],
      remedy: 'Fill in stores.jsonl and shipping_rates.jsonl of the catalog folder (catalog init), and publish it.',
      look: () => withPublishedCatalog(checkDeliveries),
    },
  ];
}

export function secretChecks(): Check[] {
  return [
    keysCheck('token keys', process.env.TOKEN_KEYS, 'TOKEN_SECRET_ID'),
    keysCheck('seal keys', process.env.SEAL_KEYS, 'SEAL_SECRET_ID'),
    {
      name: "provider's key",
      step: "Issue invoices by the provider's key, with SAT's certificate (CSD)",
      needs: ['PURPOSE', 'INVOICING_PROVIDER'],
      remedy:
        'Store the key of the organization as plain text in the secret that `keySecretName` names: sk_live_… in production, ' +
        'sk_test_… in a demonstration. What the organization lacks, its page at Facturapi names.',
      look: async () => {
        const { FACTURAPI_KEY, FACTURAPI_SECRET_ID = '' } = facturapiConfig();
        if (invoicingConfig().INVOICING_PROVIDER !== 'sandbox')
          return checkProviderKey((FACTURAPI_KEY ?? (await fetchSecret(FACTURAPI_SECRET_ID))).trim());
        return isProduction()
          ? ['failed', 'The sandbox issues no invoices with fiscal validity.']
          : ['skipped', 'The sandbox issues invoices without fiscal validity.'];
      },
    },
    {
      name: 'payment provider',
      step: 'Collect payments by their provider, if there is one',
      needs: ['PURPOSE'],
      remedy:
        'Store {"key":"sk_…","webhookSecret":"whsec_…"} in the secret that `payments.secretName` names, and register the ' +
        'endpoint as infra/cloud/README.md says under "Connect Stripe".',
      look: async () => {
        const { PAYMENTS_PROVIDER } = paymentsConfig();
        if (PAYMENTS_PROVIDER === 'none') return ['ok', 'none: orders are not collected'];
        if (PAYMENTS_PROVIDER === 'sandbox') return ['ok', 'the sandbox, which collects nothing'];
        return checkStripe(await readStripeSecrets());
      },
    },
  ];
}

const canBeBought = () => productsContract.query.parse({ is_active: 'true', has_shortage: 'false' });
const DAY_MS = 24 * 60 * 60 * 1_000;

function checkCatalog({ version, published_at }: Pointer, bought: number): Finding {
  const days = Math.floor((now().getTime() - Date.parse(published_at)) / DAY_MS);
  const most = Number(process.env.CATALOG_MAXIMUM_AGE_DAYS ?? Number.POSITIVE_INFINITY);
  if (bought === 0) return ['failed', 'No product can be bought.'];
  if (days > most) return ['failed', `It was published ${days} days ago; ${most} are allowed.`];
  return ['ok', `version ${version}, ${countText(days, 'day')} old, ${bought} products can be bought`];
}

function checkDeliveries(catalog: Catalog): Finding {
  const stores = catalog.stores();
  const blank = stores.find((store) => Object.values(store).includes(TO_FILL_IN));
  const rates = catalog.shippingRates(process.env.ISSUER_ZIPCODE ?? '').length;
  if (blank) return ['warning', `Store ${blank.id} has fields that are to be filled in.`];
  if (rates > 0) return ['ok', `${countText(stores.length, 'store')}, and deliveries to the issuer's zip code`];
  return ['warning', `${countText(stores.length, 'store')}, and no delivery to the issuer's zip code.`];
}

async function fetchSecret(SecretId: string): Promise<string> {
  const client = new SecretsManagerClient({});
  const { SecretString = '' } = await client.send(new GetSecretValueCommand({ SecretId }));
  return SecretString;
}

const keysCheck = (name: string, given: string | undefined, secretId: string): Check => ({
  name,
  needs: given ? [] : [secretId],
  remedy:
    'Store {"current":{"kid","secret"},"previous":{"kid","secret"}} in the secret, each secret 32 random bytes or more in ' +
    'base64url; previous may be left out.',
  look: async (id) => checkKeys(given ?? (await fetchSecret(id))),
});

function checkKeys(json: string): Finding {
  try {
    const { current, previous } = parseSigningKeys(json);
    return ['ok', `current ${current.kid}, ${previous ? `previous ${previous.kid}` : 'no previous one'}`];
  } catch (error) {
    // The message of a JSON parser quotes the secret.
    if (error instanceof SyntaxError) return ['failed', 'They are not JSON.'];
    throw error;
  }
}

// The parts of Facturapi's `Organization` that say whether it can issue (openapi_v2.en.yaml, 2026-08-20).
const organization = z.object({
  is_production_ready: z.boolean(),
  pending_steps: z.array(z.object({ type: z.string() })).default([]),
  certificate: z.object({ expires_at: z.coerce.date().nullish() }).default({}),
});

const TIMEOUT_MS = 5_000;

async function checkProviderKey(key: string): Promise<Finding> {
  const [, mode] = /^sk_(live|test)_\S+$/.exec(key) ?? [];
  if (!mode) return ['failed', 'The secret holds no key of Facturapi.'];
  if (isProduction() && mode === 'test') return ['failed', 'It is a test key in production: no invoice goes to SAT.'];
  if (!isProduction() && mode === 'live')
    return ['failed', 'It is a live key in a demonstration: its invoices go to SAT.'];
  // The one read that both kinds of key may make and that returns no customer's data.
  const answer = await fetch(`${facturapiConfig().FACTURAPI_URL}/organizations/me`, {
    headers: { Authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  // The text of a refusal may quote the key.
  if (!answer.ok) return ['failed', `Facturapi answers ${answer.status}.`];
  const asked = organization.parse(await answer.json());
  return mode === 'test' ? ['ok', 'a test key, which works'] : checkOrganization(asked);
}

const WARNING_MS = 30 * 24 * 60 * 60 * 1_000;

function checkOrganization({ is_production_ready, pending_steps, certificate }: z.infer<typeof organization>): Finding {
  const steps = pending_steps.map(({ type }) => type).join(', ');
  if (!is_production_ready) return ['failed', `The organization cannot issue yet: ${steps}.`];
  const { expires_at: end } = certificate;
  const leftMs = end ? end.getTime() - now().getTime() : Number.POSITIVE_INFINITY;
  if (leftMs > WARNING_MS) return ['ok', 'a live key, which works'];
  const day = end?.toISOString().slice(0, 10);
  if (leftMs < 0) return ['failed', `SAT's certificate of the organization expired on ${day}.`];
  return ['warning', `SAT's certificate of the organization expires on ${day}.`];
}

async function readStripeSecrets(): Promise<StripeSecrets> {
  const { STRIPE_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_SECRET_ID = '' } = stripeConfig();
  if (STRIPE_KEY !== undefined) return { key: STRIPE_KEY, webhookSecret: STRIPE_WEBHOOK_SECRET };
  return parseStripeSecrets(await fetchSecret(STRIPE_SECRET_ID));
}

async function checkStripe({ key, webhookSecret }: StripeSecrets): Promise<Finding> {
  if (!isKeyOfMode(key, isProduction()))
    return ['failed', isProduction() ? 'Production needs a live key.' : 'A demonstration needs a test key.'];
  const access = { key, url: stripeConfig().STRIPE_URL, callUrl: apiUrl(PROVIDER_CALL_PATH.slice(1)) };
  try {
    return judgeStripe(await inspectStripe(access, AbortSignal.timeout(TIMEOUT_MS)), webhookSecret !== undefined);
  } catch (error) {
    // The text of a refusal may quote the key.
    const { statusCode } = Object(error instanceof Error ? error.cause : undefined);
    return ['failed', statusCode ? `Stripe answers ${statusCode} to the key.` : 'Stripe does not answer.'];
  }
}

/** The jobs find payments without calls, only later. */
function judgeStripe({ collections, endpoint, missingEvents }: StripeInspection, hasSecret: boolean): Finding {
  if (collections.length === 0) return ['failed', 'The account may collect neither cards nor OXXO nor SPEI yet.'];
  if (endpoint !== 'registered')
    return ['warning', `The endpoint that calls the stage is ${endpoint}: payments are seen within the hour.`];
  if (!hasSecret) return ['warning', 'The secret has no webhookSecret: payments are seen within the hour.'];
  if (missingEvents.length > 0) return ['warning', `The endpoint does not get ${missingEvents.join(', ')}.`];
  return ['ok', `${isProduction() ? 'a live' : 'a test'} key, which collects ${collections.join(', ')}`];
}
