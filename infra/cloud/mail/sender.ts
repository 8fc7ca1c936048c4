import { Aws } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Settings } from '../settings.ts';
import { nameIdentity } from './identity.ts';

const ANY_IDENTITY = 'identity/*';

/** Returns the region of the mail stack; undefined if SES sends in the region of the stage. */
export const mailStackRegion = ({ region, sender }: Settings): string | undefined =>
  sender?.region === region ? undefined : sender?.region;

export type Sender = ReturnType<typeof describe>;

/** Returns the sender of invoices, and the permission to send as it; undefined without one. */
export const describeSender = ({ stage, sender }: Settings): Sender | undefined => sender && describe(stage, sender);

function describe(stage: string, { name, address, identity, region = Aws.REGION }: NonNullable<Settings['sender']>) {
  const configurationSetName = `pharmacy-${stage}`;
  const toArn = (resource: string): string => `arn:${Aws.PARTITION}:ses:${region}:${Aws.ACCOUNT_ID}:${resource}`;
  return {
    /** The `From` header of a mail. */
    mailbox: `${name} <${address}>`,
    /** The domain or address that SES has to verify. */
    identityName: nameIdentity(address, identity),
    /** The identity to verify: the address, its domain, or one that exists. */
    identity,
    /** Named for each mail that is sent, so that the identity needs none of its own. */
    configurationSetName,
    /** The region in which SES sends. */
    region,
    /**
     * The permission to send from this address only. The identity is any: while the account is in the sandbox, SES asks IAM for
     * the recipient's too (cloudposse/terraform-aws-ses#40), with the same sender: usdigitalresponse/usdr-gost lists both under
     * one condition (terraform/modules/gost_api/email.tf).
     */
    right: () =>
      new PolicyStatement({
        actions: ['ses:SendRawEmail'],
        resources: [toArn(ANY_IDENTITY), toArn(`configuration-set/${configurationSetName}`)],
        conditions: { StringEquals: { 'ses:FromAddress': address } },
      }),
    acknowledged: {
      id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:ses:${show(region)}:<AWS::AccountId>:${ANY_IDENTITY}]`,
      reason:
        'In the sandbox of SES the recipient is one of these identities; the sender is one address, by condition.',
    },
  };
}

/** Writes a value as cdk-nag does in its findings. */
const show = (value: string): string => (value === Aws.REGION ? '<AWS::Region>' : value);
