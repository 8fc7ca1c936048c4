import { Aws, CfnOutput, type Stack } from 'aws-cdk-lib';
import { AccountRootPrincipal, PolicyDocument, Role } from 'aws-cdk-lib/aws-iam';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { Resources } from './data.ts';
import {
  catalog,
  catalogListing,
  invoiceFiles,
  invoicing,
  mail,
  type Need,
  payments,
  prescriptions,
  records,
  sealKeys,
  shortages,
  tokenKeys,
} from './functions/needs.ts';
import { allow } from './stage.ts';

const right =
  (actions: string, toResources: (resources: Resources) => string | string[]): Need =>
  (resources) => ({ rights: [allow(actions, toResources(resources))] });

const readVersions = right('s3:GetObject', ({ catalog }) => catalog.arnForObjects('versions/*'));

/** The rights of the counter's commands, and no others. */
const PHARMACIST: readonly Need[] = [
  ...[catalog, readVersions, shortages, payments, mail],
  ...[prescriptions('GetObject', 'PutObject', 'DeleteObject'), invoiceFiles('GetObject', 'PutObject'), invoicing],
  records.get('CLIENT', 'IDS', 'ORDER'),
  records.batchGet('CLIENT', 'ORDER', 'USER', 'STOCK'),
  records.query(
    ...(['ORDER', 'OPEN', 'CREATED', 'PAIR', 'COUNT', 'NAME', 'EMAIL', 'PHONE'] as const),
    ...(['INVOICES', 'PAYMENTS', 'HASH', 'DISPENSED', 'TILL', 'STOCK'] as const),
  ),
  records.put('ORDER', 'CREATED', 'DOCUMENT', 'HASH', 'DISPENSED', 'TILL', 'STOCK'),
  records.putDelete('PAIR', 'OPEN', 'INVOICES', 'UNINVOICED', 'LEDGER', 'PAYMENTS'),
  records.update('COUNT', 'COUPON', 'IDS', 'DISPENSED', 'STOCK'),
  records.check('USER'),
];

/** `doctor` and `logs` read these, of which AWS limits few to a resource. */
const overseeing = right(
  `cloudformation:DescribeStacks cloudwatch:DescribeAlarms lambda:GetAccountSettings logs:DescribeLogGroups
  logs:FilterLogEvents ses:GetAccount ses:GetEmailIdentity ses:GetConfigurationSetEventDestinations
  sns:ListSubscriptionsByTopic`,
  () => '*',
);

// No passwords or keys of users and clients, and no prescriptions.
const READABLE = [
  ...(['CLIENT', 'IDS', 'ORDER', 'OPEN', 'CREATED', 'PAIR', 'COUNT', 'DELAYS', 'NAME', 'EMAIL', 'PHONE'] as const),
  ...(['INVOICES', 'UNINVOICED', 'GLOBAL', 'LEDGER', 'PAYMENTS', 'COUPON', 'DISPENSED', 'TILL'] as const),
  ...(['FEED', 'WEBHOOKS', 'STOCK'] as const),
];

const READER: readonly Need[] = [
  ...[overseeing, catalog, catalogListing, invoiceFiles('GetObject')],
  records.get(...READABLE),
  records.batchGet(...READABLE),
  records.query(...READABLE),
  readVersions,
];

const inBuckets = (of: (bucket: Bucket) => string) => (resources: Resources) =>
  [resources.catalog, resources.documents, ...(resources.images ? [resources.images] : [])].map(of);
const GATEWAY = `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}::`;

/** Everything of the stage but its stack. */
const OPERATOR: readonly Need[] = [
  ...[overseeing, tokenKeys, sealKeys, invoicing, payments, mail],
  right(
    `dynamodb:GetItem dynamodb:PutItem dynamodb:UpdateItem dynamodb:DeleteItem dynamodb:BatchGetItem
    dynamodb:BatchWriteItem dynamodb:ConditionCheckItem dynamodb:Query dynamodb:Scan`,
    ({ table }) => table.tableArn,
  ),
  right(
    's3:ListBucket s3:ListBucketVersions',
    inBuckets(({ bucketArn }) => bucketArn),
  ),
  right(
    's3:GetObject s3:PutObject s3:DeleteObject s3:DeleteObjectVersion',
    inBuckets((bucket) => bucket.arnForObjects('*')),
  ),
  right(
    'apigateway:GET apigateway:POST apigateway:PATCH apigateway:PUT apigateway:DELETE',
    ({ usagePlan: { usagePlanId: plan } }) =>
      ['apikeys', 'apikeys/*', 'tags/*', `usageplans/${plan}`, `usageplans/${plan}/keys`].map(
        (at) => `${GATEWAY}/${at}`,
      ),
  ),
];

const ROLES = { Pharmacist: PHARMACIST, Operator: OPERATOR, Reader: READER };

/** Adds the roles of people, which principals of the account assume that may do so (README, "People"), and their ARNs as outputs. */
export function addRoles(stack: Stack, resources: Resources): void {
  const scope = new Construct(stack, 'People');
  for (const [name, needs] of Object.entries(ROLES)) {
    const statements = needs.flatMap((need) => need(resources).rights ?? []);
    const role = new Role(scope, name, {
      assumedBy: new AccountRootPrincipal(),
      description: `${name} of stage ${resources.settings.stage} of the pharmacy`,
      inlinePolicies: { Needs: new PolicyDocument({ statements }) },
    });
    new CfnOutput(stack, `${name}RoleArn`, { value: role.roleArn });
  }
}
