import { once } from '../../../../shared/runtime/async.ts';
import { BUDGET_REGION } from '../../../stack-names.ts';
import { describeStack } from '../../target/stack.ts';
import { REMEDIES, type StackCheck } from '../check.ts';
import { alarmChecks, describeAlarms } from './alarms.ts';
import { listResources } from './resources.ts';
import { checkBeside, checkProtected, checkStatus } from './status.ts';

/** The checks of the stacks that the settings may put beside that of the stage: its mail and its budget. */
export const besideChecks = (): StackCheck[] => [...mailStackChecks(), budgetCheck()];

/** The checks of the mail in the region of SES; without such a stack, the alarms of the mail are the stage's own. */
function mailStackChecks(): StackCheck[] {
  const { MAIL_STACK: name, MAIL_REGION: region } = process.env;
  if (!name) return [];
  const place = { name, region };
  const resources = once(() => listResources(place));
  const stack = once(() => describeStack(place));
  const alarms = once(async () => describeAlarms(await resources(), region));
  const status: StackCheck = {
    name: 'stack',
    needs: ['PURPOSE', 'MAIL_REGION'],
    remedy: REMEDIES.readEvents,
    look: () => checkBeside(place, checkProtected),
  };
  const checks = [status, ...alarmChecks({ resources, alarms, stack, topics: [] })];
  return checks.map((check) => ({ ...check, name: `mail ${check.name}` }));
}

const budgetCheck = (): StackCheck => ({
  name: 'budget',
  remedy:
    'Deploy the stage again with all of its stacks; the events of this one in the CloudFormation console say why.',
  look: async () => {
    const name = process.env.BUDGET_STACK;
    if (!name) return { skipped: 'The stage has none (`budget`).' };
    return checkBeside({ name, region: BUDGET_REGION }, checkStatus);
  },
});
