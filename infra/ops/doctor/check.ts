import { within } from '../../../shared/runtime/clock.ts';
import { explainError, setting } from '../errors.ts';
import { Interrupted } from '../prompt.ts';

/** A warning is for somebody to look at, and fails nothing. */
export type Finding =
  | { readonly ok: string }
  | { readonly warning: string }
  | { readonly failed: string }
  | { readonly skipped: string };

export type Check = {
  readonly name: string;
  /** The environment variables that the check needs; without them it is skipped. */
  readonly needs: readonly string[];
  /** The reason this check cannot run locally; undefined if it can. */
  readonly notLocally?: string;
  /** The advice when the check fails or warns. */
  readonly remedy: string;
  /** The time after which it counts as failed, if it may take longer than the others. */
  readonly limitMs?: number;
  look(): Promise<Finding>;
};

export type CheckResult = {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly finding: string;
  readonly remedy: string | null;
};

// A client that is refused a connection retries for a few seconds; a check that hangs for longer counts as failed.
const LIMIT_MS = 15_000;
/** The SDK's clients have no timeout of their own. */
export const CLIENT_LIMITS = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
} as const;

/** Runs all checks side by side. A check that throws has failed. */
export const runChecks = (checks: readonly Check[], place: 'local' | 'aws'): Promise<CheckResult[]> =>
  Promise.all(checks.map((check) => runCheck(check, place)));

async function runCheck(check: Check, place: 'local' | 'aws'): Promise<CheckResult> {
  const [[state, finding]] = Object.entries(await findOut(check, place)) as [[CheckResult['state'], string]];
  // The operator, and not the installation, may be what AWS refuses.
  const access = ADVICE_ON_ACCESS.find(({ names }) => state === 'failed' && names.test(finding));
  const remedy = state === 'failed' || state === 'warning' ? (access?.advice ?? check.remedy) : null;
  return { check: check.name, state, finding, remedy };
}

async function findOut({ needs, notLocally, limitMs = LIMIT_MS, look }: Check, place: 'local' | 'aws') {
  if (place === 'local' && notLocally !== undefined) return { skipped: notLocally };
  const missing = missingSettings(needs);
  if (missing.length > 0) return { skipped: `${missing.join(', ')} is not set.` };
  try {
    return await within(limitMs, look(), { failed: 'No answer in time.' });
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    return { failed: explainError(error) };
  }
}

// The names of AWS's errors, which differ from service to service.
const ADVICE_ON_ACCESS = [
  {
    names: /ExpiredToken|InvalidClientTokenId|UnrecognizedClient|CredentialsProviderError|Could not load credentials/,
    advice: 'Renew the credentials in the AWS environment of this machine.',
  },
  {
    names: /AccessDenied|AuthorizationError/,
    advice: 'Your credentials lack this right: infra/ops/README.md lists those of doctor.',
  },
];

/** True if the stage is for production; a demonstration may have test keys, and stay in the sandbox of SES. */
export const isProduction = (): boolean => setting('PURPOSE') === 'production';

export const missingSettings = (names: readonly string[]): string[] => names.filter((name) => !process.env[name]);
