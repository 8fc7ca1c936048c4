import type { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { mailStackName } from '../../stack-names.ts';
import { addAlarm } from '../monitoring/alarm.ts';
import { sendingAlarms } from '../monitoring/alarms.ts';
import type { Settings } from '../settings.ts';
import { SideStack } from '../side-stack.ts';
import { MailRules } from './mail-rules.ts';
import { mailStackRegion } from './sender.ts';

/**
 * Adds the rules of the mail to the stack of a stage, or to a stack beside it in the region of SES. The two share names
 * that the settings fix, and no references: those would need custom resources in both regions.
 */
export function addMail(stack: Stack, settings: Settings): void {
  const region = mailStackRegion(settings);
  if (region === undefined) new MailRules(stack, 'Sender', settings);
  else stack.addStackDependency(new MailStack(stack.node.root, region, settings));
}

/** The mail of a stage whose region has no SES, with its alarms: CloudWatch alarms only on metrics of its own region. */
class MailStack extends SideStack {
  constructor(scope: Construct, region: string, settings: Settings) {
    const { stage, purpose } = settings;
    super(scope, mailStackName(stage), {
      region,
      settings,
      description: `Pharmacy, mail of stage ${stage}`,
      terminationProtection: purpose === 'production',
    });
    const { topic } = new MailRules(this, 'Sender', settings);
    for (const row of sendingAlarms()) addAlarm(this, row, { stage, topic });
  }
}
