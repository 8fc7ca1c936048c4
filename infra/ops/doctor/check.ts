import { within } from '../../../shared/runtime/clock.ts';
import { explainError, setting } from '../errors.ts';
import { Interrupted } from '../prompt.ts';

/** The finding of a check. A warning asks somebody to look, and fails nothing. */
export type Finding = readonly [state: 'ok' | 'warning' | 'failed' | 'skipped', text: string];

export type Check = {
  readonly name: string;
  /** The environment variables whose values `look` gets; without one of them the check is skipped. */
  readonly needs: readonly string[];
  /** True for a check of what the local server does not have. */
  readonly isOfStage?: boolean;
  readonly remedy: string;
  /** The step before a shop opens that is done when this check passes; the checks are in the order of these steps. */
  readonly step?: string;
  look(...needed: readonly string[]): Promise<Finding>;
};

export type CheckResult = Awaited<ReturnType<typeof runCheck>>;

// The SDK's clients have no timeout of their own. AWS answers some calls only once a second, and the gateway waits 29 s for a
// function that a check calls after another.
const LIMIT_MS = 60_000;

export const runChecks = (checks: readonly Check[], isLocal: boolean) =>
  Promise.all(checks.filter(({ isOfStage }) => !isLocal || !isOfStage).map(runCheck));

async function runCheck(check: Check) {
  const [state, finding] = await findOut(check);
  // The operator, and not the installation, may be what AWS refuses.
  const access = ADVICE_ON_ACCESS.find(({ names }) => state === 'failed' && names.test(finding));
  const remedy = state === 'failed' || state === 'warning' ? (access?.advice ?? check.remedy) : null;
  return { check: check.name, state, finding, remedy, step: check.step };
}

async function findOut({ needs, look }: Check): Promise<Finding> {
  const missing = needs.filter((name) => !process.env[name]);
  if (missing.length > 0) return ['skipped', `${missing.join(', ')} is not set.`];
  try {
    return await within<Finding, Finding>(LIMIT_MS, look(...needs.map(setting)), ['failed', 'No answer in time.']);
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    return ['failed', explainError(error)];
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

/** Returns the URL of a path of the API, whose own address may have a base path. */
export const apiUrl = (path: string): string => new URL(path, setting('API_URL').replace(/\/?$/, '/')).href;
