import { type Acknowledgment, Aws } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Settings } from '../settings.ts';
import { nameIdentity } from './identity.ts';

const ANY_IDENTITY = 'identity/*';

/** The sender of invoices, and the permission to send as it. */
export class Sender {
  /** The `From` header of a mail. */
  readonly mailbox: string;
  /** The domain or address that SES has to verify. */
  readonly identityName: string;
  /** Named for each mail that is sent, so that the identity needs none of its own. */
  readonly configurationSetName: string;
  readonly #address: string;

  constructor({ stage, sender: { name, address, identity } }: Settings) {
    this.mailbox = `${name} <${address}>`;
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

const toSesArn = (resource: string): string => `arn:${Aws.PARTITION}:ses:${Aws.REGION}:${Aws.ACCOUNT_ID}:${resource}`;
