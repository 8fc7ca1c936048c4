import { Aws } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Settings } from '../settings.ts';
import { nameIdentity } from './identity.ts';

const ANY_IDENTITY = 'identity/*';

/** Undefined if SES sends in the region of the stage. */
export const mailStackRegion = ({ region, sender }: Settings): string | undefined =>
  sender?.region === region ? undefined : sender?.region;

export type Sender = ReturnType<typeof describe>;

export const describeSender = ({ stage, sender }: Settings): Sender | undefined => sender && describe(stage, sender);

function describe(stage: string, { name, address, identity, region = Aws.REGION }: NonNullable<Settings['sender']>) {
  const configurationSetName = `pharmacy-${stage}`;
  const toArn = (resource: string): string => `arn:${Aws.PARTITION}:ses:${region}:${Aws.ACCOUNT_ID}:${resource}`;
  return {
    mailbox: `${name} <${address}>`,
    identityName: nameIdentity(address, identity),
    identity,
    /** Named in each mail, so that the identity needs no default. */
    configurationSetName,
    region,
    /**
     * Limits the sender to this address. The identity is any: in SES's sandbox IAM also checks the recipient's
     * (cloudposse/terraform-aws-ses#40), with the same sender: usdigitalresponse/usdr-gost lists both under one condition
     * (terraform/modules/gost_api/email.tf).
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

/** Formats a value as cdk-nag's findings do. */
const show = (value: string): string => (value === Aws.REGION ? '<AWS::Region>' : value);
