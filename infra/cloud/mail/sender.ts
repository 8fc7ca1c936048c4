import { Aws } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Settings } from '../settings.ts';
import { nameIdentity } from './identity.ts';

/** Undefined if SES sends in the region of the stage. */
export const mailStackRegion = ({ region, sender }: Settings): string | undefined =>
  sender?.region === region ? undefined : sender?.region;

export type Sender = NonNullable<ReturnType<typeof describeSender>>;

export function describeSender({ stage, sender }: Settings) {
  if (!sender) return undefined;
  const { name, address, identity, region = Aws.REGION } = sender;
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
        resources: [toArn('identity/*'), toArn(`configuration-set/${configurationSetName}`)],
        conditions: { StringEquals: { 'ses:FromAddress': address } },
      }),
  };
}
