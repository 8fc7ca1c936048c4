import { type App, type IStackSynthesizer, LegacyStackSynthesizer, Stack, type StackProps } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import * as ses from 'aws-cdk-lib/aws-ses';
import { Construct } from 'constructs';
import { BUDGET_REGION, budgetStackName, mailStackName } from '../stack-names.ts';
import { AlarmTopic, addAlarms } from './monitoring/alarm.ts';
import { SENDING_ALARMS } from './monitoring/alarms.ts';
import type { Settings } from './settings.ts';
import { describeSender, mailStackRegion, removalPolicy, type Sender } from './stage.ts';

/** Adds a stack in another region, which need not be bootstrapped: the CDK CLI creates it with the caller's credentials. */
const addSideStack = (app: Construct, stackName: string, region: string, { account }: Settings, props: StackProps) =>
  new Stack(app, stackName, {
    ...props,
    stackName,
    env: { ...(account && { account }), region },
    // The cast is needed because aws-cdk-lib's types do not distinguish absent from undefined.
    synthesizer: new LegacyStackSynthesizer() as IStackSynthesizer,
  });

const NOTICES = [
  { notificationType: 'ACTUAL', threshold: 80 },
  { notificationType: 'FORECASTED', threshold: 100 },
];

/** Mails the alarm address at 80 % of a month's budget, and when all of it is forecast, in a stage that has a budget. */
export function addBudget(app: App, settings: Settings): void {
  const { stage, alarmAddress, budget } = settings;
  if (!budget) return;
  const description = `Pharmacy, budget of stage ${stage}`;
  const stack = addSideStack(app, budgetStackName(stage), BUDGET_REGION, settings, { description });
  // Unnamed: every change of a subscriber replaces the budget, which could not have the same name.
  new CfnBudget(stack, 'Budget', {
    budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount: budget.usdPerMonth, unit: 'USD' } },
    notificationsWithSubscribers: NOTICES.map((notice) => ({
      notification: { ...notice, comparisonOperator: 'GREATER_THAN', thresholdType: 'PERCENTAGE' },
      subscribers: [{ subscriptionType: 'EMAIL', address: alarmAddress }],
    })),
  });
}

/** Adds the mail rules to the stage's stack, or, with the alarms on them, to one in the region of SES (README, "Region of the mail"). */
export function addMail(stack: Stack, settings: Settings): void {
  const sender = describeSender(settings);
  const region = mailStackRegion(settings);
  if (!sender) return;
  if (region === undefined) return void addMailRules(stack, settings, sender);
  const mailStack = addSideStack(stack.node.root as Construct, mailStackName(settings.stage), region, settings, {
    description: `Pharmacy, mail of stage ${settings.stage}`,
    terminationProtection: settings.purpose === 'production',
  });
  const topic = addMailRules(mailStack, settings, sender);
  addAlarms(mailStack, SENDING_ALARMS, { of: { settings }, topic });
  stack.addStackDependency(mailStack);
}

/** Adds the sender's rules and SES identity, unless it exists. The topic mails bounces and complaints to the operator. */
function addMailRules(stack: Construct, settings: Settings, sender: Sender): AlarmTopic {
  const scope = new Construct(stack, 'Sender');
  const { identityName, configurationSetName, identity } = sender;
  const configurationSet = new ses.ConfigurationSet(scope, 'Rules', {
    configurationSetName,
    tlsPolicy: ses.ConfigurationSetTlsPolicy.REQUIRE,
    reputationMetrics: true,
    suppressionReasons: ses.SuppressionReasons.BOUNCES_AND_COMPLAINTS,
  });
  const topic = new AlarmTopic(scope, 'Returned', settings);
  configurationSet.addEventDestination('Events', {
    destination: ses.EventDestination.snsTopic(topic),
    events: [ses.EmailSendingEvent.BOUNCE, ses.EmailSendingEvent.COMPLAINT, ses.EmailSendingEvent.REJECT],
  });
  // No default configuration set: an identity that outlives it could send nothing (Amazon SES Developer Guide, "Understanding
  // default configuration sets").
  if (typeof identity === 'string')
    new ses.EmailIdentity(scope, 'Identity', {
      identity: identity === 'address' ? ses.Identity.email(identityName) : ses.Identity.domain(identityName),
    }).applyRemovalPolicy(removalPolicy(settings));
  return topic;
}
