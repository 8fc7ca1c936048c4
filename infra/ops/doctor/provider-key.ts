import * as z from 'zod';
import { now } from '../../../shared/runtime/clock.ts';
import { facturapiConfig, invoicingConfig } from '../../../shared/runtime/config.ts';
import { type Check, type Finding, isProduction } from './check.ts';
import { readSecret } from './secrets.ts';

const TIMEOUT_MS = 5_000;
const WARNING_MS = 30 * 24 * 60 * 60 * 1_000;

// The parts of Facturapi's `Organization` that say whether it can issue (openapi_v2.en.yaml, 2026-08-20).
const organization = z.object({
  is_production_ready: z.boolean(),
  pending_steps: z.array(z.object({ type: z.string() })).default([]),
  certificate: z.object({ expires_at: z.coerce.date().nullish() }).default({}),
});

export const providerKeyChecks = (): Check[] => [
  {
    name: "provider's key",
    needs: ['PURPOSE', 'INVOICING_PROVIDER'],
    remedy:
      'Store the key of the organization as plain text in the secret that `keySecretName` names: sk_live_… in production, ' +
      'sk_test_… in a demonstration. What the organization lacks, its page at Facturapi names.',
    look: async () => (invoicingConfig().INVOICING_PROVIDER === 'sandbox' ? checkSandbox() : checkKey(await readKey())),
  },
];

const checkSandbox = (): Finding =>
  isProduction()
    ? { failed: 'The sandbox issues no invoices with fiscal validity.' }
    : { ok: 'none: invoices are without fiscal validity' };

async function readKey(): Promise<string> {
  const { FACTURAPI_KEY, FACTURAPI_SECRET_ID = '' } = facturapiConfig();
  return (FACTURAPI_KEY ?? (await readSecret(FACTURAPI_SECRET_ID))).trim();
}

async function checkKey(key: string): Promise<Finding> {
  const [, mode] = /^sk_(live|test)_\S+$/.exec(key) ?? [];
  if (!mode) return { failed: 'The secret holds no key of Facturapi.' };
  if (isProduction() && mode === 'test') return { failed: 'It is a test key in production: no invoice goes to SAT.' };
  if (!isProduction() && mode === 'live')
    return { failed: 'It is a live key in a demonstration: its invoices go to SAT.' };
  const answer = await askForOrganization(key);
  // The text of a refusal may quote the key.
  if (!answer.ok) return { failed: `Facturapi answers ${answer.status}.` };
  const asked = organization.parse(await answer.json());
  return mode === 'test' ? { ok: 'a test key, which works' } : checkOrganization(asked);
}

// The one read that both kinds of key may make and that returns no customer's data.
const askForOrganization = (key: string): Promise<Response> =>
  fetch(`${facturapiConfig().FACTURAPI_URL}/organizations/me`, {
    headers: { Authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });

function checkOrganization({ is_production_ready, pending_steps, certificate }: z.infer<typeof organization>): Finding {
  const steps = pending_steps.map(({ type }) => type).join(', ');
  if (!is_production_ready) return { failed: `The organization cannot issue yet: ${steps}.` };
  return checkCertificate(certificate.expires_at) ?? { ok: 'a live key, which works' };
}

function checkCertificate(expiresAt: Date | null | undefined): Finding | undefined {
  const leftMs = expiresAt ? expiresAt.getTime() - now().getTime() : Number.POSITIVE_INFINITY;
  if (leftMs > WARNING_MS) return undefined;
  const day = expiresAt?.toISOString().slice(0, 10);
  if (leftMs < 0) return { failed: `SAT's certificate of the organization expired on ${day}.` };
  return { warning: `SAT's certificate of the organization expires on ${day}.` };
}
