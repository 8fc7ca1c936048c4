import { type Acknowledgment, Aws } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Settings } from '../settings.ts';
import { nameIdentity } from './identity.ts';

const ANY_IDENTITY = 'identity/*';

/** Returns the region of the mail stack; undefined if SES sends in the region of the stage. */
export const mailStackRegion = ({ region, sender }: Settings): string | undefined =>
  sender.region === region ? undefined : sender.region;

/** The sender of invoices, and the permission to send as it. */
export class Sender {
  /** The `From` header of a mail. */
  readonly mailbox: string;
  /** The domain or address that SES has to verify. */
  readonly identityName: string;
  /** Named for each mail that is sent, so that the identity needs none of its own. */
  readonly configurationSetName: string;
  /** The region in which SES sends. */
  readonly region: string;
  readonly #address: string;

  constructor({ stage, sender: { name, address, identity, region = Aws.REGION } }: Settings) {
    this.mailbox = `${name} <${address}>`;
    this.region = region;
    this.#address = address;
    this.identityName = nameIdentity(address, identity);
    this.configurationSetName = `pharmacy-${stage}`;
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
        resources: [this.#arn(ANY_IDENTITY), this.#arn(`configuration-set/${this.configurationSetName}`)],
        conditions: { StringEquals: { 'ses:FromAddress': this.#address } },
      }),
      acknowledged: {
        id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:ses:${show(this.region)}:<AWS::AccountId>:${ANY_IDENTITY}]`,
        reason:
          'In the sandbox of SES the recipient is one of these identities; the sender is one address, by condition.',
      },
    };
  }

  #arn(resource: string): string {
    return `arn:${Aws.PARTITION}:ses:${this.region}:${Aws.ACCOUNT_ID}:${resource}`;
  }
}

/** Writes a value as cdk-nag does in its findings. */
const show = (value: string): string => (value === Aws.REGION ? '<AWS::Region>' : value);
