import type { Context } from '../context.ts';
import { explainError, setting } from '../errors.ts';
import { askCallerArn } from '../operator.ts';
import { printable } from '../output.ts';
import { type Access, apiChecks, readAccess } from './api.ts';
import { type Check, type CheckResult, missingSettings, runChecks } from './check.ts';
import { dataChecks } from './data.ts';
import { listSteps, openingChecks, stepsText } from './opening.ts';
import { mailChecks, stackChecks } from './stack.ts';

const STATE_WIDTH = 9;

/** Checks an installation, with the requests of a client if a key is given. */
export async function examine(
  access: { readonly key: boolean; readonly email?: string | undefined },
  context: Context,
) {
  const { isLocal } = context;
  const absent = isLocal && (await findAbsentServer());
  if (absent) return report([absent]);
  const all = makeChecks(await readAccess(access, context));
  const relevant = all.filter(({ notLocally }) => !isLocal || notLocally === undefined);
  return report(await runChecks([environmentCheck(relevant), ...all], isLocal));
}

const report = (checks: readonly CheckResult[], opening = listSteps(checks)) => ({
  document: { checks, opening },
  text: [checks.map(checkLine).join(''), stepsText(opening)].filter(Boolean).join('Before opening:\n'),
  failure: checks.some(({ state }) => state === 'failed') ? '' : undefined,
});

/** Returns every check, in the order in which they are printed. */
export const makeChecks = (access: Access): Check[] => [
  accountCheck,
  ...dataChecks(),
  ...mailChecks(),
  ...apiChecks(access),
  ...openingChecks(),
  ...stackChecks(),
];

/** Returns the one result of a desk whose local server does not answer; undefined if it does. */
async function findAbsentServer(): Promise<CheckResult | undefined> {
  try {
    await fetch(setting('API_URL'), { method: 'HEAD', signal: AbortSignal.timeout(10_000) });
    return undefined;
  } catch (error) {
    return { check: 'local server', state: 'failed', finding: explainError(error), remedy: null };
  }
}

const environmentCheck = (checks: readonly Check[]): Check => ({
  name: 'environment',
  needs: [],
  remedy: 'Name the file that `cdk deploy --outputs-file` has written with --outputs, or set them.',
  look: async () => {
    const missing = missingSettings(['AWS_REGION', ...new Set(checks.flatMap(({ needs }) => needs))]);
    return missing.length > 0 ? ['failed', `Not set: ${missing.join(', ')}.`] : ['ok', 'complete'];
  },
});

const accountCheck: Check = {
  name: 'account',
  needs: ['STACK_ACCOUNT'],
  notLocally: 'The local server is in no account.',
  remedy: 'Take credentials of the account of the stage, or name the outputs of another stage with --outputs.',
  look: async (expected) => {
    // arn:partition:service:region:account:resource
    const account = (await askCallerArn()).split(':')[4];
    if (account === expected) return ['ok', expected];
    return ['failed', `The credentials are of account ${account}, the stage is in ${expected}.`];
  },
};

const checkLine = ({ check, state, finding, remedy }: CheckResult): string =>
  `${state.padEnd(STATE_WIDTH)}${check}: ${printable(finding)}${remedy === null ? '' : ` ${remedy}`}\n`;
