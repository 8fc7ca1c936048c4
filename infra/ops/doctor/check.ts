import { within } from '../../../shared/runtime/deadline.ts';
import { explainError } from '../terminal/explain-error.ts';

/** What a look at an installation finds: all well, or what is wrong. */
export type Finding = { readonly ok: string } | { readonly failed: string };

export type Check = {
  readonly name: string;
  /** The settings without which there is nothing to look at. */
  readonly needs: readonly string[];
  /** Why there is nothing to look at in the local server; absent where there is. */
  readonly notLocally?: string;
  /** What to do when it failed. */
  readonly remedy: string;
  look(): Promise<Finding>;
};

export type CheckResult = {
  readonly check: string;
  readonly state: 'ok' | 'failed' | 'skipped';
  readonly finding: string;
  readonly remedy: string | null;
};

// A client that is refused a connection tries again for a few seconds; what hangs is as good as down.
const LIMIT_MS = 15_000;
/** For the SDK's clients, which by themselves wait for ever. */
export const CLIENT_LIMITS = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
} as const;

/** All checks, side by side; one that cannot look has failed. */
export const runChecks = (checks: readonly Check[], place: 'local' | 'aws'): Promise<CheckResult[]> =>
  Promise.all(checks.map((check) => runCheck(check, place)));

async function runCheck(check: Check, place: 'local' | 'aws'): Promise<CheckResult> {
  const { name, needs, notLocally, remedy } = check;
  const skipped = (finding: string) => ({ check: name, state: 'skipped', finding, remedy: null }) as const;
  if (place === 'local' && notLocally !== undefined) return skipped(notLocally);
  const missing = missingSettings(needs);
  if (missing.length > 0) return skipped(`${missing.join(', ')} is not set.`);
  const found = await lookInTime(check);
  if ('failed' in found) return { check: name, state: 'failed', finding: found.failed, remedy };
  return { check: name, state: 'ok', finding: found.ok, remedy: null };
}

export const missingSettings = (names: readonly string[]): string[] => names.filter((name) => !process.env[name]);

async function lookInTime(check: Check): Promise<Finding> {
  try {
    return await within(LIMIT_MS, check.look(), { failed: 'No answer in time.' });
  } catch (error) {
    return { failed: explainError(error) };
  }
}
