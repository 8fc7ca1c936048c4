import { Duration, Validations } from 'aws-cdk-lib';
import type { IUsagePlan } from 'aws-cdk-lib/aws-apigateway';
import { AttributeType, Billing, StreamViewType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type BucketProps,
  type IBucket,
  type LifecycleRule,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { TABLE } from '../../shared/store/keys.ts';
import type { Sender } from './mail/sender.ts';
import type { Settings } from './settings.ts';
import { removalPolicy, removalPolicyOfUndeletable } from './stage.ts';

export type Resources = {
  readonly settings: Settings;
  readonly table: OrdersTable;
  readonly catalog: VersionedBucket;
  readonly documents: VersionedBucket;
  /** Undefined in a stage whose images are elsewhere. */
  readonly images: (VersionedBucket & { readonly baseUrl: string }) | undefined;
  readonly tokenKeys: SigningKeys;
  readonly sealKeys: SigningKeys;
  /** Undefined in a stage without mail. */
  readonly sender: Sender | undefined;
  readonly usagePlan: IUsagePlan;
  readonly providerKey: ISecret | undefined;
  /** Undefined without a payment provider. */
  readonly paymentSecrets: ISecret | undefined;
};

const RECOVERY_DAYS = 35;

/** The single table, with the keys of `shared/store/keys.ts` and, if its data is kept, 35 days of point-in-time recovery. */
export class OrdersTable extends TableV2 {
  constructor(scope: Construct, id: string, settings: Settings) {
    const isKept = settings.dataOnRemoval === 'kept';
    super(scope, id, {
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
}

const ACCESS_LOG_DAYS = 365;
const UPLOAD_DAYS = 1;

type Contents = Pick<BucketProps, 'serverAccessLogsBucket' | 'versioned' | 'removalPolicy' | 'autoDeleteObjects'> & {
  readonly lifecycle: LifecycleRule;
  readonly prefixes?: readonly LifecycleRule[];
};

/** Reachable only over TLS and with IAM permissions. */
class PrivateBucket extends Bucket {
  constructor(scope: Construct, id: string, { lifecycle, prefixes = [], ...contents }: Contents) {
    super(scope, id, {
      ...contents,
      ...(contents.serverAccessLogsBucket && { serverAccessLogsPrefix: `${id}/` }),
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      lifecycleRules: [{ abortIncompleteMultipartUploadAfter: Duration.days(UPLOAD_DAYS), ...lifecycle }, ...prefixes],
    });
  }
}

/** The folder in which Lambda puts failed stream records; it chooses these names. */
export const FAILED_RECORDS = 'aws/lambda/*';
const FAILED_RECORD_DAYS = 14;
// They contain whole orders, so none of them is kept longer.
export const FAILED_RECORDS_RULE: LifecycleRule = {
  prefix: FAILED_RECORDS.replace('*', ''),
  expiration: Duration.days(FAILED_RECORD_DAYS),
  noncurrentVersionExpiration: Duration.days(1),
};

export type Versioned = Pick<Contents, 'prefixes'> & {
  readonly settings: Settings;
  readonly accessLogs: Bucket | undefined;
  readonly undoDays: number;
};

export class VersionedBucket extends PrivateBucket {
  constructor(scope: Construct, id: string, { settings, accessLogs, undoDays, prefixes = [] }: Versioned) {
    super(scope, id, {
      versioned: true,
      // The cast is needed because aws-cdk-lib's types do not distinguish absent from undefined.
      ...(accessLogs && { serverAccessLogsBucket: accessLogs as IBucket }),
      lifecycle: { noncurrentVersionExpiration: Duration.days(undoDays), expiredObjectDeleteMarker: true },
      prefixes,
      removalPolicy: removalPolicy(settings),
      autoDeleteObjects: settings.dataOnRemoval === 'deleted',
    });
    if (!accessLogs) Validations.of(this).acknowledge({ id: 'AwsSolutions-S1', reason: WITHOUT_ACCESS_LOGS });
  }
}

// S3 writes access logs hours later (https://docs.aws.amazon.com/AmazonS3/latest/userguide/ServerLogs.html), and a bucket that
// contains one cannot be deleted (aws/aws-cdk#21776).
const WITHOUT_ACCESS_LOGS =
  'Access logs would come after the removal of all data, and stop the removal of their bucket.';

export class AccessLogBucket extends PrivateBucket {
  constructor(scope: Construct, id: string, settings: Settings) {
    const lifecycle = { expiration: Duration.days(ACCESS_LOG_DAYS) };
    super(scope, id, { lifecycle, removalPolicy: removalPolicyOfUndeletable(settings) });
  }
}

/** Secrets Manager generates the first secret; a rotation replaces or adds one (`shared/access/signing-keys.ts`). */
export class SigningKeys extends Secret {
  constructor(scope: Construct, id: string, { settings, signed }: { settings: Settings; signed: string }) {
    super(scope, id, {
      description: `Keys of ${signed}: {"kid","secret"}, or {"current":{…},"previous":{…}} after a rotation`,
      generateSecretString: {
        secretStringTemplate: JSON.stringify({ kid: 'first' }),
        generateStringKey: 'secret',
        // 64 letters and digits are valid base64url: 48 bytes with 381 random bits.
        passwordLength: 64,
        excludePunctuation: true,
      },
      removalPolicy: removalPolicy(settings),
    });
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'Rotated by the operator, as functions keep the keys for five minutes (infra/cloud/README.md).',
    });
  }
}
