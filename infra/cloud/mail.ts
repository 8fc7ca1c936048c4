import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
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
import { OperatorTopic } from './monitoring/topic.ts';
import type { Settings } from './settings.ts';

const getDomain = (address: string): string => address.slice(address.indexOf('@') + 1);

/** The SES identity that sends invoices. Bounces and complaints are mailed to the operator and suppressed afterwards. */
export class Sender extends Construct {
  /** The `From` header of a mail. */
  readonly mailbox: string;
  readonly #address: string;
  readonly #identityArn: string;
  readonly configurationSetName: string;
  /** The domain or address that SES has to verify. */
  readonly identityName: string;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const { name, address, identity } = settings.sender;
    this.mailbox = `${name} <${address}>`;
    this.#address = address;
    this.identityName = identity === 'domain' ? getDomain(address) : address;
    const configurationSet = new ConfigurationSet(this, 'Rules', {
      tlsPolicy: ConfigurationSetTlsPolicy.REQUIRE,
      reputationMetrics: true,
      suppressionReasons: SuppressionReasons.BOUNCES_AND_COMPLAINTS,
    });
    configurationSet.addEventDestination('Events', {
      destination: EventDestination.snsTopic(new OperatorTopic(this, 'Returned', settings)),
      events: [EmailSendingEvent.BOUNCE, EmailSendingEvent.COMPLAINT, EmailSendingEvent.REJECT],
    });
    const verified = new EmailIdentity(this, 'Identity', {
      identity: identity === 'domain' ? Identity.domain(this.identityName) : Identity.email(this.identityName),
      configurationSet,
    });
    this.#identityArn = verified.emailIdentityArn;
    this.configurationSetName = configurationSet.configurationSetName;
  }

  /** Returns the permission to send from this address only. */
  sending(): PolicyStatement {
    const resourceName = this.configurationSetName;
    return new PolicyStatement({
      actions: ['ses:SendRawEmail'],
      resources: [
        this.#identityArn,
        Stack.of(this).formatArn({ service: 'ses', resource: 'configuration-set', resourceName }),
      ],
      conditions: { StringEquals: { 'ses:FromAddress': this.#address } },
    });
  }
}
