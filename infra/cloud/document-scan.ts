import { Aws } from 'aws-cdk-lib';
import type { EventPattern } from 'aws-cdk-lib/aws-events';
import { CfnMalwareProtectionPlan } from 'aws-cdk-lib/aws-guardduty';
import { Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal, StarPrincipal } from 'aws-cdk-lib/aws-iam';
import type { Bucket, CfnBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';

const FOLDER = 'prescriptions/';
const TAG = 'GuardDutyMalwareScanStatus';
// GuardDuty writes it to check its permission (its guide, "Create or update IAM role policy").
const VALIDATION_OBJECT = 'malware-protection-resource-validation-object';
// GuardDuty chooses the ends of the names of its own rules.
const RULES = `arn:${Aws.PARTITION}:events:${Aws.REGION}:${Aws.ACCOUNT_ID}:rule/DO-NOT-DELETE-AmazonGuardDutyMalwareProtectionS3*`;

/** GuardDuty's results for a bucket, which it puts on the default bus at least once (its guide, "Monitoring S3 object scans"). */
export const scanResults = ({ bucketName }: Bucket): EventPattern => ({
  source: ['aws.guardduty'],
  detailType: ['GuardDuty Malware Protection Object Scan Result'],
  detail: { s3ObjectDetails: { bucketName: [bucketName] } },
});

/** Amazon GuardDuty tags each prescription with its scan's result, and S3 refuses those with malware. */
export function addDocumentScan(stack: Construct, bucket: Bucket): void {
  const scope = new Construct(stack, 'DocumentScan');
  // CDK's own property would use a function for this, which CloudFormation can do itself.
  const cfnBucket = bucket.node.defaultChild as CfnBucket;
  cfnBucket.notificationConfiguration = { eventBridgeConfiguration: { eventBridgeEnabled: true } };
  const role = new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('malware-protection-plan.guardduty.amazonaws.com'),
    inlinePolicies: { Scan: new PolicyDocument({ statements: allowScan(bucket) }) },
  });
  for (const statement of refuseThreats(bucket, role)) bucket.addToResourcePolicy(statement);
  new CfnMalwareProtectionPlan(scope, 'Plan', {
    role: role.roleArn,
    protectedResource: { s3Bucket: { bucketName: bucket.bucketName, objectPrefixes: [FOLDER] } },
    actions: { tagging: { status: 'ENABLED' } },
  });
}

const allowScan = (bucket: Bucket): PolicyStatement[] => [
  new PolicyStatement({
    actions: ['events:PutRule', 'events:DeleteRule', 'events:PutTargets', 'events:RemoveTargets'],
    resources: [RULES],
    conditions: { StringLike: { 'events:ManagedBy': 'malware-protection-plan.guardduty.amazonaws.com' } },
  }),
  new PolicyStatement({ actions: ['events:DescribeRule', 'events:ListTargetsByRule'], resources: [RULES] }),
  new PolicyStatement({
    actions: ['s3:GetBucketNotification', 's3:PutBucketNotification', 's3:ListBucket'],
    resources: [bucket.bucketArn],
  }),
  new PolicyStatement({
    actions: [
      ...['s3:GetObject', 's3:GetObjectVersion', 's3:GetObjectTagging', 's3:GetObjectVersionTagging'],
      ...['s3:PutObjectTagging', 's3:PutObjectVersionTagging'],
    ],
    resources: [bucket.arnForObjects(`${FOLDER}*`)],
  }),
  new PolicyStatement({ actions: ['s3:PutObject'], resources: [bucket.arnForObjects(VALIDATION_OBJECT)] }),
];

/** Nobody reads malware, and only GuardDuty sets the tag (its guide, "Using tag-based access control"). */
const refuseThreats = (bucket: Bucket, role: Role): PolicyStatement[] => [
  new PolicyStatement({
    sid: 'NoThreats',
    effect: Effect.DENY,
    principals: [new StarPrincipal()],
    actions: ['s3:GetObject', 's3:GetObjectVersion'],
    resources: [bucket.arnForObjects(`${FOLDER}*`)],
    conditions: { StringEquals: { [`s3:ExistingObjectTag/${TAG}`]: 'THREATS_FOUND' } },
  }),
  new PolicyStatement({
    sid: 'OnlyGuardDutyTags',
    effect: Effect.DENY,
    principals: [new StarPrincipal()],
    actions: ['s3:PutObjectTagging', 's3:PutObjectVersionTagging'],
    resources: [bucket.arnForObjects(`${FOLDER}*`)],
    conditions: {
      'ForAnyValue:StringEquals': { 's3:RequestObjectTagKeys': TAG },
      ArnNotEquals: { 'aws:PrincipalArn': role.roleArn },
    },
  }),
];
