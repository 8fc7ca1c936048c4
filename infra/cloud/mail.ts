import { type Acknowledgment, Aws } from 'aws-cdk-lib';
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
    new EmailIdentity(this, 'Identity', {
      identity: identity === 'domain' ? Identity.domain(this.identityName) : Identity.email(this.identityName),
      configurationSet,
    });
    this.configurationSetName = configurationSet.configurationSetName;
  }

  /**
   * Returns the permission to send from this address only. The identity is any: while the account is in the sandbox, SES
   * asks IAM for the recipient's too (cloudposse/terraform-aws-ses#40), with the same sender: usdigitalresponse/usdr-gost
   * lists both under one condition (terraform/modules/gost_api/email.tf).
   */
  sending(): { readonly right: PolicyStatement; readonly acknowledged: Acknowledgment } {
    return {
      right: new PolicyStatement({
        actions: ['ses:SendRawEmail'],
        resources: [toSesArn(ANY_IDENTITY), toSesArn(`configuration-set/${this.configurationSetName}`)],
        conditions: { StringEquals: { 'ses:FromAddress': this.#address } },
      }),
      acknowledged: {
        id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:${ANY_IDENTITY}]`,
        reason:
          'In the sandbox of SES the recipient is one of these identities; the sender is one address, by condition.',
      },
    };
  }
}

const ANY_IDENTITY = 'identity/*';
const toSesArn = (resource: string): string => `arn:${Aws.PARTITION}:ses:${Aws.REGION}:${Aws.ACCOUNT_ID}:${resource}`;
