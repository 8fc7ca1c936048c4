import { Aws } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { CfnMalwareProtectionPlan } from 'aws-cdk-lib/aws-guardduty';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { Bucket, CfnBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { SCAN_HANDLER } from '../jobs.ts';
import type { Resources } from './data.ts';
import type { PharmacyFunction } from './functions/function.ts';
import { addJob, toQueue } from './functions/job-functions.ts';
import { allow } from './stage.ts';

const FOLDER = 'prescriptions/';
const TAG = 'GuardDutyMalwareScanStatus';
const GUARD_DUTY = 'malware-protection-plan.guardduty.amazonaws.com';
// GuardDuty writes it to check its permission (its guide, "Create or update IAM role policy").
const VALIDATION_OBJECT = 'malware-protection-resource-validation-object';
// GuardDuty chooses the ends of the names of its own rules.
const RULES = `arn:${Aws.PARTITION}:events:${Aws.REGION}:${Aws.ACCOUNT_ID}:rule/DO-NOT-DELETE-AmazonGuardDutyMalwareProtectionS3*`;

/**
 * Amazon GuardDuty tags each prescription with its scan's result, and S3 refuses those with malware. A job records the result;
 * one that it cannot record is a dead letter, and its prescription stays unreviewed.
 */
export function addDocumentScan(stack: Construct, resources: Resources): PharmacyFunction {
  const { documents, deadLetters } = resources;
  addPlan(new Construct(stack, 'DocumentScan'), documents);
  const { scope, fn } = addJob(stack, SCAN_HANDLER, 'on-event', resources);
  // Lambda repeats a failed call after one minute and after two more.
  fn.alias.configureAsyncInvoke({ retryAttempts: 2, onFailure: toQueue(resources) });
  new Rule(scope, 'Results', {
    // GuardDuty puts results on the default bus at least once (its guide, "Monitoring S3 object scans").
    eventPattern: {
      source: ['aws.guardduty'],
      detailType: ['GuardDuty Malware Protection Object Scan Result'],
      detail: { s3ObjectDetails: { bucketName: [documents.bucketName] } },
    },
    targets: [new LambdaFunction(fn.alias, { deadLetterQueue: deadLetters })],
  });
  return fn;
}

function addPlan(scope: Construct, bucket: Bucket): void {
  // CDK's own property would use a function for this, which CloudFormation can do itself.
  const cfnBucket = bucket.node.defaultChild as CfnBucket;
  cfnBucket.notificationConfiguration = { eventBridgeConfiguration: { eventBridgeEnabled: true } };
  const prescriptions = bucket.arnForObjects(`${FOLDER}*`);
  const statements = [
    allow('events:PutRule events:DeleteRule events:PutTargets events:RemoveTargets', RULES, {
      StringLike: { 'events:ManagedBy': GUARD_DUTY },
    }),
    allow('events:DescribeRule events:ListTargetsByRule', RULES),
    allow('s3:GetBucketNotification s3:PutBucketNotification s3:ListBucket', bucket.bucketArn),
    allow(
      `s3:GetObject s3:GetObjectVersion s3:GetObjectTagging s3:GetObjectVersionTagging
      s3:PutObjectTagging s3:PutObjectVersionTagging`,
      prescriptions,
    ),
    allow('s3:PutObject', bucket.arnForObjects(VALIDATION_OBJECT)),
  ];
  const role = new iam.Role(scope, 'Role', {
    assumedBy: new iam.ServicePrincipal(GUARD_DUTY),
    inlinePolicies: { Scan: new iam.PolicyDocument({ statements }) },
  });
  // Nobody reads malware, and only GuardDuty sets the tag (its guide, "Using tag-based access control").
  const refused = { effect: iam.Effect.DENY, principals: [new iam.StarPrincipal()], resources: [prescriptions] };
  const noThreats = new iam.PolicyStatement({
    ...refused,
    sid: 'NoThreats',
    actions: ['s3:GetObject', 's3:GetObjectVersion'],
    conditions: { StringEquals: { [`s3:ExistingObjectTag/${TAG}`]: 'THREATS_FOUND' } },
  });
  const onlyGuardDutyTags = new iam.PolicyStatement({
    ...refused,
    sid: 'OnlyGuardDutyTags',
    actions: ['s3:PutObjectTagging', 's3:PutObjectVersionTagging'],
    conditions: {
      'ForAnyValue:StringEquals': { 's3:RequestObjectTagKeys': TAG },
      ArnNotEquals: { 'aws:PrincipalArn': role.roleArn },
    },
  });
  for (const statement of [noThreats, onlyGuardDutyTags]) bucket.addToResourcePolicy(statement);
  new CfnMalwareProtectionPlan(scope, 'Plan', {
    role: role.roleArn,
    protectedResource: { s3Bucket: { bucketName: bucket.bucketName, objectPrefixes: [FOLDER] } },
    actions: { tagging: { status: 'ENABLED' } },
  });
}
