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
import { AlarmTopic } from '../monitoring/topic.ts';
import { removalPolicy } from '../removal-policy.ts';
import type { Settings } from '../settings.ts';
import { Sender } from './sender.ts';

/**
 * The SES identity of the sender, unless it exists already, and the rules for its mails. Bounces and complaints are mailed
 * to the operator and suppressed afterwards.
 */
export class MailRules extends Construct {
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
