import { once } from '../../../../shared/runtime/once.ts';
import { type Asked, type Check, type Finding, isProduction } from '../check.ts';
import { alarmChecks, describeAlarms } from './alarms.ts';
import { apiStageChecks } from './api-stage.ts';
import { functionChecks } from './functions.ts';
import { jobChecks } from './jobs.ts';
import { describeStack, listResources, type Stack } from './resources.ts';
import { ringCheck } from './ring.ts';

/** The check of the stack itself, and those of what CloudFormation lists as its resources. */
export function stackChecks({ ring }: Pick<Asked, 'ring'>): Check[] {
  const resources = once(listResources);
  const described = once(describeStack);
  const alarms = once(async () => describeAlarms(await resources()));
  const all = { resources, alarms, stack: described };
  const checks = [
    {
      name: 'stack',
      needs: ['PURPOSE'],
      remedy: 'Its events in the CloudFormation console say why: mend it, and deploy again.',
      look: async () => checkStack(await described()),
    },
    ...alarmChecks(all),
    ringCheck(alarms, ring),
    ...jobChecks(all),
    ...functionChecks(resources),
    ...apiStageChecks(resources),
  ];
  return checks.map((check) => ({
    ...check,
    needs: ['STACK_NAME', ...(check.needs ?? [])],
    notLocally: 'The local server has no stack.',
  }));
}

const GOOD = ['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'IMPORT_COMPLETE'];

function checkStack({ status, isProtected }: Stack): Finding {
  if (status === 'UPDATE_ROLLBACK_COMPLETE') return { warning: 'The last deployment failed and was undone.' };
  if (status.endsWith('_IN_PROGRESS')) return { warning: `It is ${status}: a deployment is under way.` };
  if (!GOOD.includes(status)) return { failed: `It is ${status}.` };
  if (isProduction() && !isProtected) return { failed: 'Termination protection is off in production.' };
  return { ok: status };
}
