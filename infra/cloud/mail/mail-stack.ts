import type { Stack } from 'aws-cdk-lib';
import {
  ConfigurationSet,
  ConfigurationSetTlsPolicy,
  EmailIdentity,
  EmailSendingEvent,
  EventDestination,
  Identity,
  SuppressionReasons,
} from 'aws-cdk-lib/aws-ses';
import { Construct } from 'constructs';
import { mailStackName } from '../../stack-names.ts';
import { AlarmTopic, addAlarms } from '../monitoring/alarm.ts';
import { SENDING_ALARMS } from '../monitoring/alarms.ts';
import type { Settings } from '../settings.ts';
import { SideStack } from '../side-stacks.ts';
import { removalPolicy } from '../stage.ts';
import { describeSender, mailStackRegion, type Sender } from './sender.ts';

/** Adds the mail rules to the stage's stack, or to one in the region of SES, which shares fixed names and no references. */
export function addMail(stack: Stack, settings: Settings): void {
  const sender = describeSender(settings);
  const region = mailStackRegion(settings);
  if (!sender) return;
  if (region === undefined) addMailRules(stack, settings, sender);
  else stack.addStackDependency(new MailStack(stack.node.root, { region, settings, sender }));
}

type MailProps = { readonly region: string; readonly settings: Settings; readonly sender: Sender };

/** The mail of a stage whose region has no SES, with its alarms, as CloudWatch alarms only on metrics of its own region. */
class MailStack extends SideStack {
  constructor(scope: Construct, { region, settings, sender }: MailProps) {
    const { stage, purpose } = settings;
    super(scope, mailStackName(stage), {
      region,
      settings,
      description: `Pharmacy, mail of stage ${stage}`,
      terminationProtection: purpose === 'production',
    });
    const topic = addMailRules(this, settings, sender);
    addAlarms(this, SENDING_ALARMS, { of: { settings }, topic });
  }
}

/** Adds the sender's rules and SES identity, unless it exists. The topic mails bounces and complaints to the operator. */
function addMailRules(stack: Construct, settings: Settings, sender: Sender): AlarmTopic {
  const scope = new Construct(stack, 'Sender');
  const { identityName, configurationSetName, identity } = sender;
  const configurationSet = new ConfigurationSet(scope, 'Rules', {
    configurationSetName,
    tlsPolicy: ConfigurationSetTlsPolicy.REQUIRE,
    reputationMetrics: true,
    suppressionReasons: SuppressionReasons.BOUNCES_AND_COMPLAINTS,
  });
  const topic = new AlarmTopic(scope, 'Returned', settings);
  configurationSet.addEventDestination('Events', {
    destination: EventDestination.snsTopic(topic),
    events: [EmailSendingEvent.BOUNCE, EmailSendingEvent.COMPLAINT, EmailSendingEvent.REJECT],
  });
  // No default configuration set: an identity that outlives the stack would name a deleted one, and SES would refuse all of
  // its mails (Amazon SES Developer Guide, "Understanding default configuration sets").
  if (typeof identity === 'string')
    new EmailIdentity(scope, 'Identity', {
      identity: identity === 'address' ? Identity.email(identityName) : Identity.domain(identityName),
    }).applyRemovalPolicy(removalPolicy(settings));
  return topic;
}
