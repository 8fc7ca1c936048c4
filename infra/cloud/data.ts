import { Duration, Validations } from 'aws-cdk-lib';
import type { IUsagePlan } from 'aws-cdk-lib/aws-apigateway';
import { Distribution, PriceClass, ResponseHeadersPolicy, ViewerProtocolPolicy } from 'aws-cdk-lib/aws-cloudfront';
import { S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { AttributeType, Billing, StreamViewType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import * as s3 from 'aws-cdk-lib/aws-s3';
import { Secret, type SecretStringGenerator } from 'aws-cdk-lib/aws-secretsmanager';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { TABLE } from '../../shared/store/keys.ts';
import type { Settings } from './settings.ts';
import { describeSender, removalPolicy, removalPolicyOfUndeletable } from './stage.ts';

/** The functions, the roles of people and the alarms of a stage refer to these. */
export type Resources = ReturnType<typeof addData>;
export type CodeOf = (handler: string) => Code;

export function addData(stack: Construct, settings: Settings, made: { codeOf: CodeOf; usagePlan: IUsagePlan }) {
  const { invoicing, payments } = settings;
  const accessLogs = settings.dataOnRemoval === 'kept' ? addAccessLogs(stack, settings) : undefined;
  const stored = { settings, accessLogs };
  return {
    ...made,
    settings,
    sender: describeSender(settings),
    table: addTable(stack, settings),
    catalog: addBucket(stack, 'Catalog', { ...stored, undoDays: 90 }),
    documents: addBucket(stack, 'Documents', { ...stored, undoDays: 30, prefixes: [FAILED_RECORDS_RULE] }),
    ...addImages(stack, stored),
    tokenKeys: addSigningKeys(stack, 'TokenKeys', settings, 'access tokens'),
    sealKeys: addSigningKeys(stack, 'SealKeys', settings, 'held prices'),
    deadLetters: addDeadLetters(stack),
    providerKey:
      invoicing.provider === 'sandbox'
        ? undefined
        : Secret.fromSecretNameV2(stack, 'ProviderKey', invoicing.keySecretName),
    paymentSecrets:
      payments.provider === 'none' ? undefined : Secret.fromSecretNameV2(stack, 'PaymentSecrets', payments.secretName),
  };
}

function addDeadLetters(scope: Construct): Queue {
  const queue = new Queue(scope, 'DeadLetters', {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  });
  Validations.of(queue).acknowledge({ id: 'AwsSolutions-SQS3', reason: 'It is a dead-letter queue itself.' });
  return queue;
}

function addTable(scope: Construct, settings: Settings): TableV2 {
  const isKept = settings.dataOnRemoval === 'kept';
  return new TableV2(scope, 'Table', {
    partitionKey: { name: TABLE.partitionKey, type: AttributeType.STRING },
    sortKey: { name: TABLE.sortKey, type: AttributeType.STRING },
    timeToLiveAttribute: TABLE.timeToLive,
    billing: Billing.onDemand(),
    dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
    // With it, DynamoDB keeps a deleted table's backup for 35 days (its guide, "Point-in-time recovery: How it works").
    pointInTimeRecoverySpecification: isKept
      ? { pointInTimeRecoveryEnabled: true, recoveryPeriodInDays: 35 }
      : { pointInTimeRecoveryEnabled: false },
    deletionProtection: isKept,
    // The protection would also stop the rollback of a creation.
    removalPolicy: removalPolicyOfUndeletable(settings),
  });
}

/** Reachable only over TLS and with IAM permissions. */
const PRIVATE = {
  blockPublicAccess: s3.BlockPublicAccess.BLOCK_ALL,
  objectOwnership: s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
  encryption: s3.BucketEncryption.S3_MANAGED,
  enforceSSL: true,
  minimumTLSVersion: 1.2,
};
const UNFINISHED_UPLOADS: s3.LifecycleRule = { abortIncompleteMultipartUploadAfter: Duration.days(1) };

const addAccessLogs = (scope: Construct, settings: Settings): s3.Bucket =>
  new s3.Bucket(scope, 'AccessLogs', {
    ...PRIVATE,
    lifecycleRules: [{ ...UNFINISHED_UPLOADS, expiration: Duration.days(365) }],
    removalPolicy: removalPolicyOfUndeletable(settings),
  });

/** The folder in which Lambda puts failed stream records; it chooses these names. */
export const FAILED_RECORDS = 'aws/lambda/*';
// They contain whole orders, so none of them is kept longer.
const FAILED_RECORDS_RULE: s3.LifecycleRule = {
  prefix: FAILED_RECORDS.replace('*', ''),
  expiration: Duration.days(14),
  noncurrentVersionExpiration: Duration.days(1),
};

type Stored = { readonly settings: Settings; readonly accessLogs: s3.Bucket | undefined };
type Versioned = Stored & { readonly undoDays: number; readonly prefixes?: readonly s3.LifecycleRule[] };

// S3 writes access logs hours later (its guide, "Logging requests with server access logging"), and a bucket that contains one
// cannot be deleted (aws/aws-cdk#21776).
const WITHOUT_ACCESS_LOGS =
  'Access logs would come after the removal of all data, and stop the removal of their bucket.';

/** Adds a bucket with versions, whose former ones can be brought back for some days. */
function addBucket(
  scope: Construct,
  id: string,
  { settings, accessLogs, undoDays, prefixes = [] }: Versioned,
): s3.Bucket {
  const former = { noncurrentVersionExpiration: Duration.days(undoDays), expiredObjectDeleteMarker: true };
  const bucket = new s3.Bucket(scope, id, {
    ...PRIVATE,
    versioned: true,
    // The cast is needed because aws-cdk-lib's types do not distinguish absent from undefined.
    ...(accessLogs && { serverAccessLogsBucket: accessLogs as s3.IBucket, serverAccessLogsPrefix: `${id}/` }),
    lifecycleRules: [{ ...UNFINISHED_UPLOADS, ...former }, ...prefixes],
    removalPolicy: removalPolicy(settings),
    autoDeleteObjects: settings.dataOnRemoval === 'deleted',
  });
  if (!accessLogs) Validations.of(bucket).acknowledge({ id: 'AwsSolutions-S1', reason: WITHOUT_ACCESS_LOGS });
  return bucket;
}

const PUBLIC_IMAGES = 'The pictures of products are for everybody, and their addresses tell nothing of who asks.';

/** Adds the images of products, which CloudFront alone may read, unless another server has them. Keys are never written anew. */
function addImages(scope: Construct, stored: Stored) {
  const { images: isHosted, imageBaseUrl = '', stage } = stored.settings;
  if (!isHosted) return { images: undefined, imageBaseUrl };
  const images = addBucket(scope, 'Images', { ...stored, undoDays: 30 });
  const headers = new ResponseHeadersPolicy(images, 'Headers', {
    securityHeadersBehavior: { contentTypeOptions: { override: true } },
  });
  const distribution = new Distribution(images, 'Distribution', {
    comment: `Pharmacy, images of stage ${stage}`,
    priceClass: PriceClass.PRICE_CLASS_100,
    defaultBehavior: {
      origin: S3BucketOrigin.withOriginAccessControl(images as s3.IBucket),
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      responseHeadersPolicy: headers,
    },
  });
  for (const rule of ['CFR1', 'CFR2', 'CFR3', 'CFR4'])
    Validations.of(distribution).acknowledge({ id: `AwsSolutions-${rule}`, reason: PUBLIC_IMAGES });
  return { images, imageBaseUrl: `https://${distribution.distributionDomainName}/` };
}

/** A rotation replaces the first secret or adds one (`shared/access/signing-keys.ts`). */
const addSigningKeys = (scope: Construct, id: string, settings: Settings, signed: string): Secret =>
  addGeneratedSecret(scope, id, settings, {
    description: `Keys of ${signed}: {"kid","secret"}, or {"current":{…},"previous":{…}} after a rotation`,
    template: { kid: 'first' },
    generateStringKey: 'secret',
    // 64 letters and digits are valid base64url: 48 bytes with 381 random bits.
    passwordLength: 64,
    unrotated: 'Rotated by the operator, as functions keep the keys for five minutes (infra/cloud/README.md).',
  });

type Generated = Pick<SecretStringGenerator, 'generateStringKey' | 'passwordLength'> & {
  readonly description: string;
  readonly template: object;
  /** The reason why no function rotates it. */
  readonly unrotated: string;
};

/** Adds a secret in JSON, one field of which Secrets Manager generates. */
export function addGeneratedSecret(scope: Construct, id: string, settings: Settings, generated: Generated): Secret {
  const { description, template, unrotated, ...generator } = generated;
  const secret = new Secret(scope, id, {
    description,
    generateSecretString: {
      ...generator,
      secretStringTemplate: JSON.stringify(template),
      excludePunctuation: true,
    },
    removalPolicy: removalPolicy(settings),
  });
  Validations.of(secret).acknowledge({ id: 'AwsSolutions-SMG4', reason: unrotated });
  return secret;
}
