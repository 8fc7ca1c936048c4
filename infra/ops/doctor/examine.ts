import type { Context } from '../context.ts';
import { setting } from '../errors.ts';
import { printable } from '../output.ts';
import { askCallerArn } from '../target.ts';
import { type Access, apiChecks, clientChecks, readAccess } from './api.ts';
import { type Check, type CheckResult, runChecks } from './check.ts';
import { catalogChecks, secretChecks } from './data.ts';
import { mailChecks, stackChecks } from './stack.ts';

const STATE_WIDTH = 9;

export async function examine(
  access: { readonly key: boolean; readonly email?: string | undefined },
  context: Context,
) {
  const { isLocal } = context;
  const url = setting('API_URL');
  if (isLocal) await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(10_000) });
  const checks = await runChecks(makeChecks(await readAccess(access, context)), isLocal);
  const opening = listSteps(checks);
  return {
    document: { checks, opening },
    text: `${checks.map(checkLine).join('')}Before opening:\n${opening.map(stepLine).join('')}`,
    failure: checks.some(({ state }) => state === 'failed') ? '' : undefined,
  };
}

export const makeChecks = (access: Access): Check[] => [
  accountCheck,
  ...catalogChecks(),
  ...stackChecks(),
  ...mailChecks(),
  ...secretChecks(),
  ...clientChecks(),
  ...apiChecks(access),
];

const accountCheck: Check = {
  name: 'account',
  needs: ['STACK_ACCOUNT'],
  isOfStage: true,
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

/** Steps whose check was skipped are left out: the installation has none of them. */
export const listSteps = (results: readonly CheckResult[]) =>
  results.flatMap(({ step, check, state, remedy }) =>
    step === undefined || state === 'skipped' ? [] : [{ step, check, done: state === 'ok', by: remedy }],
  );

const stepLine = ({ step, done, by }: ReturnType<typeof listSteps>[number]): string =>
  done ? `done     ${step}\n` : `to do    ${step}: ${by}\n`;
