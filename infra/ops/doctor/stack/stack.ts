import { once } from '../../../../shared/runtime/async.ts';
import { setting } from '../../command.ts';
import { describeStack } from '../../target/stack.ts';
import { type Asked, type Check, REMEDIES, type StackCheck } from '../check.ts';
import { alarmChecks, describeAlarms } from './alarms.ts';
import { aliasChecks } from './aliases.ts';
import { apiStageChecks } from './api-stage.ts';
import { besideChecks } from './beside.ts';
import { domainChecks } from './domain.ts';
import { functionChecks } from './functions.ts';
import { jobChecks } from './jobs.ts';
import { listResources } from './resources.ts';
import { ringCheck } from './ring.ts';
import { checkProtected } from './status.ts';

/** The check of the stack itself, and those of what CloudFormation lists as its resources. */
export function stackChecks({ ring }: Pick<Asked, 'ring'>): Check[] {
  const place = () => ({ name: setting('STACK_NAME') });
  const resources = once(() => listResources(place()));
  const described = once(() => describeStack(place()));
  const alarms = once(async () => describeAlarms(await resources()));
  const all = { resources, alarms, stack: described };
  const checks: StackCheck[] = [
    {
      name: 'stack',
      needs: ['PURPOSE'],
      remedy: REMEDIES.readEvents,
      look: async () => checkProtected(await described()),
    },
    ...alarmChecks({ ...all, topics: ['ALARM_TOPIC_ARN'] }),
    ringCheck(alarms, ring),
    ...jobChecks(all),
    ...functionChecks(resources),
    ...aliasChecks(resources),
    ...apiStageChecks(resources),
    ...domainChecks(resources),
    ...besideChecks(),
  ];
  return checks.map((check) => ({
    ...check,
    needs: ['STACK_NAME', ...(check.needs ?? [])],
    notLocally: 'The local server has no stack.',
  }));
}
