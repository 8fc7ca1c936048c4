import { setting } from '../command.ts';
import { askCallerArn } from '../target/operator.ts';
import type { Check, Finding } from './check.ts';

/** The check that the credentials are of the account in which the stage is. */
export const accountChecks = (): Check[] => [
  {
    name: 'account',
    needs: ['STACK_ACCOUNT'],
    notLocally: 'The local server is in no account.',
    remedy: 'Take credentials of the account of the stage, or name the outputs of another stage with --outputs.',
    look: async () => compareAccounts(await askCallerArn(), setting('STACK_ACCOUNT')),
  },
];

function compareAccounts(callerArn: string, account: string): Finding {
  // arn:partition:service:region:account:resource
  const [, , , , ofCaller] = callerArn.split(':');
  if (ofCaller === account) return { ok: account };
  return { failed: `The credentials are of account ${ofCaller}, the stage is in ${account}.` };
}
