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
import { AlarmTopic, addAlarm } from '../monitoring/alarm.ts';
import { sendingAlarms } from '../monitoring/service-alarms.ts';
import type { Settings } from '../settings.ts';
import { SideStack } from '../side-stacks.ts';
import { removalPolicy } from '../stage.ts';
import { mailStackRegion, Sender } from './sender.ts';

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

/**
 * The SES identity of the sender, unless it exists already, and the rules for its mails. Bounces and complaints are mailed
 * to the operator and suppressed afterwards.
 */
class MailRules extends Construct {
  /** Mails bounces, complaints and, in a stack of its own, the alarms on them to the operator. */
  readonly topic: AlarmTopic;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const { identityName, configurationSetName } = new Sender(settings);
    const configurationSet = new ConfigurationSet(this, 'Rules', {
      configurationSetName,
      tlsPolicy: ConfigurationSetTlsPolicy.REQUIRE,
      reputationMetrics: true,
      suppressionReasons: SuppressionReasons.BOUNCES_AND_COMPLAINTS,
    });
    this.topic = new AlarmTopic(this, 'Returned', settings);
    configurationSet.addEventDestination('Events', {
      destination: EventDestination.snsTopic(this.topic),
      events: [EmailSendingEvent.BOUNCE, EmailSendingEvent.COMPLAINT, EmailSendingEvent.REJECT],
    });
    const { identity } = settings.sender;
    if (identity === 'address') this.#addIdentity(Identity.email(identityName), settings);
    if (identity === 'domain') this.#addIdentity(Identity.domain(identityName), settings);
  }

  /**
   * Adds the identity without a default configuration set: once the stack is removed, an identity that is kept would name
   * one that is gone, and SES refuses every mail of such an identity (Amazon SES Developer Guide, "Understanding default
   * configuration sets").
   */
  #addIdentity(identity: Identity, settings: Settings): void {
    new EmailIdentity(this, 'Identity', { identity }).applyRemovalPolicy(removalPolicy(settings));
  }
}
