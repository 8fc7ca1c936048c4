import { Aws, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { type Conditions, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { mailDomain, type Settings } from './settings.ts';

type Kept = Pick<Settings, 'dataOnRemoval'>;

/** The right to actions, separated by white space. */
export const allow = (actions: string, resources: string | string[], conditions: Conditions = {}): PolicyStatement =>
  new PolicyStatement({ actions: actions.split(/\s+/), resources: [resources].flat(), conditions });

/** For resources with data. A kept one is still deleted if its creation is rolled back (`RetainExceptOnCreate`), while empty. */
export const removalPolicy = ({ dataOnRemoval }: Kept): RemovalPolicy =>
  dataOnRemoval === 'kept' ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;

/** For a resource that CloudFormation may fail to delete, which would stop the rollback of a creation. */
export const removalPolicyOfUndeletable = ({ dataOnRemoval }: Kept): RemovalPolicy =>
  dataOnRemoval === 'kept' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;

/** Returns `pharmacy/<stage>/<id>/`. With the stack's id, a new deployment of a stage gets new log groups beside the old ones. */
export function logGroupPrefix(scope: Construct, { stage }: Settings): string {
  const stackId = Fn.select(2, Fn.split('/', Stack.of(scope).stackId));
  return `pharmacy/${stage}/${stackId}/`;
}

export const addLog = (scope: Construct, id: string, settings: Settings, logGroupName: string): LogGroup =>
  new LogGroup(scope, id, {
    logGroupName,
    retention: settings.logRetentionDays,
    removalPolicy: removalPolicy(settings),
  });

export const getNamespace = ({ stage }: Pick<Settings, 'stage'>): string => `Pharmacy/${stage}`;

/** Undefined if SES sends in the region of the stage. */
export const mailStackRegion = ({ region, sender }: Settings): string | undefined =>
  sender?.region === region ? undefined : sender?.region;

export type Sender = NonNullable<ReturnType<typeof describeSender>>;

export function describeSender({ stage, sender }: Settings) {
  if (!sender) return undefined;
  const { name, address, identity, region = Aws.REGION } = sender;
  // Named in each mail, so that the identity needs no default.
  const configurationSetName = `pharmacy-${stage}`;
  const toArn = (resource: string): string => `arn:${Aws.PARTITION}:ses:${region}:${Aws.ACCOUNT_ID}:${resource}`;
  return {
    mailbox: `${name} <${address}>`,
    identityName: nameIdentity(address, identity),
    identity,
    configurationSetName,
    region,
    /** Limits the sender; the identity is any, since in SES's sandbox IAM also checks the recipient's (cloudposse/terraform-aws-ses#40). */
    right: () =>
      allow('ses:SendRawEmail', [toArn('identity/*'), toArn(`configuration-set/${configurationSetName}`)], {
        StringEquals: { 'ses:FromAddress': address },
      }),
  };
}

function nameIdentity(address: string, identity: NonNullable<Settings['sender']>['identity']): string {
  if (identity === 'address') return address;
  return identity === 'domain' ? mailDomain(address) : identity.existing;
}
