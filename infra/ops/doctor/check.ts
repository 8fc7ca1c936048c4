import { within } from '../../../shared/runtime/clock.ts';
import { setting } from '../command.ts';
import { findEndedEngine } from '../target/local-engines.ts';
import { explainError } from '../terminal/explain-error.ts';
import { Interrupted } from '../terminal/interrupt.ts';

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

/** The API key and the user with which requests are tried, as far as they were given. */
export type Access = {
  readonly key?: string | undefined;
  readonly email?: string | undefined;
  readonly password?: string | undefined;
};

/** The options of the operator: some checks are made only if they are asked for. */
export type Asked = {
  /** Whether to set an alarm off. */
  readonly ring: boolean;
  readonly access: Access;
};

/** A check that needs the stack. */
export type StackCheck = Omit<Check, 'needs' | 'notLocally'> & Partial<Pick<Check, 'needs'>>;

/** Returns one finding for several of a kind: the failures of them, or else the warnings, or else undefined. */
export function worstOf(findings: readonly (Finding | undefined)[]): Finding | undefined {
  const failed = findings.flatMap((finding) => (finding && 'failed' in finding ? [finding.failed] : []));
  if (failed.length > 0) return { failed: failed.join(' ') };
  const warnings = findings.flatMap((finding) => (finding && 'warning' in finding ? [finding.warning] : []));
  return warnings.length > 0 ? { warning: warnings.join(' ') } : undefined;
}

export type CheckResult = {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly finding: string;
  readonly remedy: string | null;
};

export const REMEDIES = {
  deploy: 'Deploy the stack, or point at it with --outputs.',
  deployAgain: 'Deploy the stack again: it sets this.',
  readEvents: 'Its events in the CloudFormation console say why: mend it, and deploy again.',
} as const;

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
  const { name, needs, notLocally, remedy } = check;
  const skipped = (finding: string) => ({ check: name, state: 'skipped', finding, remedy: null }) as const;
  if (place === 'local' && notLocally !== undefined) return skipped(notLocally);
  const missing = missingSettings(needs);
  if (missing.length > 0) return skipped(`${missing.join(', ')} is not set.`);
  const found = await lookInTime(check, place);
  if ('failed' in found)
    return { check: name, state: 'failed', finding: found.failed, remedy: adviseOnAccess(found.failed) ?? remedy };
  if ('warning' in found) return { check: name, state: 'warning', finding: found.warning, remedy };
  return 'ok' in found ? { check: name, state: 'ok', finding: found.ok, remedy: null } : skipped(found.skipped);
}

/** True if the stage is for production; a demonstration may have test keys, and stay in the sandbox of SES. */
export const isProduction = (): boolean => setting('PURPOSE') === 'production';

export const missingSettings = (names: readonly string[]): string[] => names.filter((name) => !process.env[name]);

// The names of AWS's errors, which differ from service to service.
const REFUSED = /AccessDenied|AuthorizationError/;
const NOT_SIGNED_IN =
  /ExpiredToken|InvalidClientTokenId|UnrecognizedClient|CredentialsProviderError|Could not load credentials/;

/** Returns the advice when the operator, and not the installation, is what AWS refuses. */
function adviseOnAccess(finding: string): string | undefined {
  if (NOT_SIGNED_IN.test(finding)) return 'Renew the credentials in the AWS environment of this machine.';
  return REFUSED.test(finding)
    ? 'Your credentials lack this right: infra/ops/README.md lists those of doctor.'
    : undefined;
}

async function lookInTime(check: Check, place: 'local' | 'aws'): Promise<Finding> {
  try {
    return await within(check.limitMs ?? LIMIT_MS, check.look(), { failed: 'No answer in time.' });
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    const engine = place === 'local' ? findEndedEngine(error) : undefined;
    if (engine) return { skipped: `It needs ${engine.name}, which does not answer.` };
    return { failed: explainError(error) };
  }
}
