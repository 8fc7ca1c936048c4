import { Duration, type RemovalPolicy, Validations } from 'aws-cdk-lib';
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
import type { Construct } from 'constructs';
import { TABLE } from '../../shared/store/keys.ts';
import type { Settings } from './settings.ts';
import { removalPolicy, removalPolicyOfUndeletable } from './stage.ts';

const RECOVERY_DAYS = 35;

/** The single table, with the keys of `shared/store/keys.ts`; if its data is kept, with point-in-time recovery of 35 days. */
export class OrdersTable extends TableV2 {
  constructor(scope: Construct, id: string, settings: Settings) {
    const isKept = settings.dataOnRemoval === 'kept';
    super(scope, id, {
      partitionKey: { name: TABLE.partitionKey, type: AttributeType.STRING },
      sortKey: { name: TABLE.sortKey, type: AttributeType.STRING },
      timeToLiveAttribute: TABLE.timeToLive,
      billing: Billing.onDemand(),
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      // DynamoDB keeps a backup of a deleted table that had point-in-time recovery, for 35 days
      // (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/PointInTimeRecovery_Howitworks.html).
      pointInTimeRecoverySpecification: isKept
        ? { pointInTimeRecoveryEnabled: true, recoveryPeriodInDays: RECOVERY_DAYS }
        : { pointInTimeRecoveryEnabled: false },
      deletionProtection: isKept,
      // The protection would stop the rollback of a creation as well.
      removalPolicy: removalPolicyOfUndeletable(settings),
    });
  }
}

const ACCESS_LOG_DAYS = 365;
const UPLOAD_DAYS = 1;

type Contents = Pick<BucketProps, 'serverAccessLogsBucket' | 'versioned'> & {
  readonly lifecycle: LifecycleRule;
  /** Rules for objects under a prefix. */
  readonly prefixes?: readonly LifecycleRule[];
  readonly removalPolicy: RemovalPolicy;
};

/** A bucket that is reachable over TLS and with IAM permissions only. */
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

/** The objects in which Lambda keeps records of the stream; it chooses these names. */
export const FAILED_RECORDS = 'aws/lambda/*';
const FAILED_RECORD_DAYS = 14;
// They hold whole orders, so that nothing of them is kept behind that.
export const FAILED_RECORDS_RULE: LifecycleRule = {
  prefix: FAILED_RECORDS.replace('*', ''),
  expiration: Duration.days(FAILED_RECORD_DAYS),
  noncurrentVersionExpiration: Duration.days(1),
};

type Versioned = Pick<Contents, 'prefixes'> & {
  readonly settings: Settings;
  readonly accessLogs: Bucket | undefined;
  readonly undoDays: number;
};

/** A bucket whose removed and replaced objects can be restored for some days; with an access log, if there is a bucket for it. */
export class VersionedBucket extends PrivateBucket {
  constructor(scope: Construct, id: string, { settings, accessLogs, undoDays, prefixes = [] }: Versioned) {
    super(scope, id, {
      versioned: true,
      // The cast is needed because aws-cdk-lib's types do not distinguish absent from undefined.
      ...(accessLogs && { serverAccessLogsBucket: accessLogs as IBucket }),
      lifecycle: { noncurrentVersionExpiration: Duration.days(undoDays), expiredObjectDeleteMarker: true },
      prefixes,
      removalPolicy: removalPolicy(settings),
    });
    if (!accessLogs) Validations.of(this).acknowledge({ id: 'AwsSolutions-S1', reason: WITHOUT_ACCESS_LOGS });
  }
}

// S3 writes access logs hours later (https://docs.aws.amazon.com/AmazonS3/latest/userguide/ServerLogs.html), and a bucket
// with one of them cannot be deleted (aws/aws-cdk#21776).
const WITHOUT_ACCESS_LOGS =
  'Access logs would come after the removal of all data, and stop the removal of their bucket.';

/** Receives the S3 access logs of the other buckets. */
export class AccessLogBucket extends PrivateBucket {
  constructor(scope: Construct, id: string, settings: Settings) {
    const lifecycle = { expiration: Duration.days(ACCESS_LOG_DAYS) };
    super(scope, id, { lifecycle, removalPolicy: removalPolicyOfUndeletable(settings) });
  }
}
