import { Duration, Validations } from 'aws-cdk-lib';
import type { IUsagePlan } from 'aws-cdk-lib/aws-apigateway';
import { Distribution, PriceClass, ResponseHeadersPolicy, ViewerProtocolPolicy } from 'aws-cdk-lib/aws-cloudfront';
import { S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { AttributeType, Billing, StreamViewType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type IBucket,
  type LifecycleRule,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { TABLE } from '../../shared/store/keys.ts';
import type { Settings } from './settings.ts';
import { describeSender, removalPolicy, removalPolicyOfUndeletable, type Sender } from './stage.ts';

export type Resources = {
  readonly settings: Settings;
  readonly table: TableV2;
  readonly catalog: Bucket;
  readonly documents: Bucket;
  /** Undefined in a stage whose images are elsewhere. */
  readonly images: Bucket | undefined;
  readonly imageBaseUrl: string;
  readonly tokenKeys: Secret;
  readonly sealKeys: Secret;
  /** Undefined in a stage without mail. */
  readonly sender: Sender | undefined;
  readonly usagePlan: IUsagePlan;
  readonly providerKey: ISecret | undefined;
  /** Undefined without a payment provider. */
  readonly paymentSecrets: ISecret | undefined;
};

export function addData(stack: Construct, settings: Settings, usagePlan: IUsagePlan): Resources {
  const { invoicing, payments } = settings;
  const accessLogs = settings.dataOnRemoval === 'kept' ? addAccessLogs(stack, settings) : undefined;
  const stored = { settings, accessLogs };
  return {
    settings,
    usagePlan,
    table: addTable(stack, settings),
    catalog: addBucket(stack, 'Catalog', { ...stored, undoDays: 90 }),
    documents: addBucket(stack, 'Documents', { ...stored, undoDays: 30, prefixes: [FAILED_RECORDS_RULE] }),
    ...addImages(stack, stored),
    tokenKeys: addSigningKeys(stack, 'TokenKeys', settings, 'access tokens'),
    sealKeys: addSigningKeys(stack, 'SealKeys', settings, 'held prices'),
    sender: describeSender(settings),
    providerKey:
      invoicing.provider === 'sandbox'
        ? undefined
        : Secret.fromSecretNameV2(stack, 'ProviderKey', invoicing.keySecretName),
    paymentSecrets:
      payments.provider === 'none' ? undefined : Secret.fromSecretNameV2(stack, 'PaymentSecrets', payments.secretName),
  };
}

const RECOVERY_DAYS = 35;

function addTable(scope: Construct, settings: Settings): TableV2 {
  const isKept = settings.dataOnRemoval === 'kept';
  return new TableV2(scope, 'Table', {
    partitionKey: { name: TABLE.partitionKey, type: AttributeType.STRING },
    sortKey: { name: TABLE.sortKey, type: AttributeType.STRING },
    timeToLiveAttribute: TABLE.timeToLive,
    billing: Billing.onDemand(),
    dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
    // DynamoDB keeps a deleted table's backup for 35 days if it had point-in-time recovery
    // (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/PointInTimeRecovery_Howitworks.html).
    pointInTimeRecoverySpecification: isKept
      ? { pointInTimeRecoveryEnabled: true, recoveryPeriodInDays: RECOVERY_DAYS }
      : { pointInTimeRecoveryEnabled: false },
    deletionProtection: isKept,
    // The protection would also stop the rollback of a creation.
    removalPolicy: removalPolicyOfUndeletable(settings),
  });
}

/** Reachable only over TLS and with IAM permissions. */
const PRIVATE = {
  blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
  objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
  encryption: BucketEncryption.S3_MANAGED,
  enforceSSL: true,
  minimumTLSVersion: 1.2,
};
const UNFINISHED_UPLOADS: LifecycleRule = { abortIncompleteMultipartUploadAfter: Duration.days(1) };
const ACCESS_LOG_DAYS = 365;

const addAccessLogs = (scope: Construct, settings: Settings): Bucket =>
  new Bucket(scope, 'AccessLogs', {
    ...PRIVATE,
    lifecycleRules: [{ ...UNFINISHED_UPLOADS, expiration: Duration.days(ACCESS_LOG_DAYS) }],
    removalPolicy: removalPolicyOfUndeletable(settings),
  });

/** The folder in which Lambda puts failed stream records; it chooses these names. */
export const FAILED_RECORDS = 'aws/lambda/*';
const FAILED_RECORD_DAYS = 14;
// They contain whole orders, so none of them is kept longer.
const FAILED_RECORDS_RULE: LifecycleRule = {
  prefix: FAILED_RECORDS.replace('*', ''),
  expiration: Duration.days(FAILED_RECORD_DAYS),
  noncurrentVersionExpiration: Duration.days(1),
};

type Stored = { readonly settings: Settings; readonly accessLogs: Bucket | undefined };
type Versioned = Stored & { readonly undoDays: number; readonly prefixes?: readonly LifecycleRule[] };

// S3 writes access logs hours later (https://docs.aws.amazon.com/AmazonS3/latest/userguide/ServerLogs.html), and a bucket that
// contains one cannot be deleted (aws/aws-cdk#21776).
const WITHOUT_ACCESS_LOGS =
  'Access logs would come after the removal of all data, and stop the removal of their bucket.';

/** Adds a bucket with versions, whose former ones can be brought back for some days. */
function addBucket(scope: Construct, id: string, { settings, accessLogs, undoDays, prefixes = [] }: Versioned): Bucket {
  const former = { noncurrentVersionExpiration: Duration.days(undoDays), expiredObjectDeleteMarker: true };
  const bucket = new Bucket(scope, id, {
    ...PRIVATE,
    versioned: true,
    // The cast is needed because aws-cdk-lib's types do not distinguish absent from undefined.
    ...(accessLogs && { serverAccessLogsBucket: accessLogs as IBucket, serverAccessLogsPrefix: `${id}/` }),
    lifecycleRules: [{ ...UNFINISHED_UPLOADS, ...former }, ...prefixes],
    removalPolicy: removalPolicy(settings),
    autoDeleteObjects: settings.dataOnRemoval === 'deleted',
  });
  if (!accessLogs) Validations.of(bucket).acknowledge({ id: 'AwsSolutions-S1', reason: WITHOUT_ACCESS_LOGS });
  return bucket;
}

const PUBLIC_IMAGES = 'The pictures of products are for everybody, and their addresses tell nothing of who asks.';

/** Adds the images of products, which CloudFront alone may read, unless another server has them. Keys are never written anew. */
function addImages(scope: Construct, stored: Stored): Pick<Resources, 'images' | 'imageBaseUrl'> {
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
      origin: S3BucketOrigin.withOriginAccessControl(images as IBucket),
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
  addGeneratedSecret(scope, id, {
    settings,
    description: `Keys of ${signed}: {"kid","secret"}, or {"current":{…},"previous":{…}} after a rotation`,
    template: { kid: 'first' },
    generated: 'secret',
    // 64 letters and digits are valid base64url: 48 bytes with 381 random bits.
    length: 64,
    unrotated: 'Rotated by the operator, as functions keep the keys for five minutes (infra/cloud/README.md).',
  });

type Generated = {
  readonly settings: Settings;
  readonly description: string;
  readonly template: object;
  /** The field that Secrets Manager generates, and the number of its letters and digits. */
  readonly generated: string;
  readonly length: number;
  /** The reason why no function rotates it. */
  readonly unrotated: string;
};

/** Adds a secret in JSON, one field of which Secrets Manager generates. */
export function addGeneratedSecret(scope: Construct, id: string, secret: Generated): Secret {
  const made = new Secret(scope, id, {
    description: secret.description,
    generateSecretString: {
      secretStringTemplate: JSON.stringify(secret.template),
      generateStringKey: secret.generated,
      passwordLength: secret.length,
      excludePunctuation: true,
    },
    removalPolicy: removalPolicy(secret.settings),
  });
  Validations.of(made).acknowledge({ id: 'AwsSolutions-SMG4', reason: secret.unrotated });
  return made;
}
