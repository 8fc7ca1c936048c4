import { Duration } from 'aws-cdk-lib';
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
import { removalPolicy } from './removal-policy.ts';
import type { Settings } from './settings.ts';

const ACCESS_LOG_DAYS = 365;
const UPLOAD_DAYS = 1;

type Contents = Pick<BucketProps, 'serverAccessLogsBucket' | 'versioned'> & {
  readonly settings: Settings;
  readonly lifecycle: LifecycleRule;
};

/** A bucket that is reachable over TLS and with IAM permissions only. */
class PrivateBucket extends Bucket {
  constructor(scope: Construct, id: string, { settings, lifecycle, ...contents }: Contents) {
    super(scope, id, {
      ...contents,
      ...(contents.serverAccessLogsBucket && { serverAccessLogsPrefix: `${id}/` }),
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      lifecycleRules: [{ abortIncompleteMultipartUploadAfter: Duration.days(UPLOAD_DAYS), ...lifecycle }],
      removalPolicy: removalPolicy(settings),
    });
  }
}

/** A bucket with an access log, whose removed and replaced objects can be restored for some days. */
export class VersionedBucket extends PrivateBucket {
  constructor(
    scope: Construct,
    id: string,
    { settings, accessLogs, undoDays }: { settings: Settings; accessLogs: Bucket; undoDays: number },
  ) {
    const lifecycle = { noncurrentVersionExpiration: Duration.days(undoDays), expiredObjectDeleteMarker: true };
    // The cast is needed because aws-cdk-lib's types do not distinguish absent from undefined.
    const serverAccessLogsBucket = accessLogs as IBucket;
    super(scope, id, { settings, versioned: true, serverAccessLogsBucket, lifecycle });
  }
}

/** Receives the S3 access logs of the other buckets. */
export class AccessLogBucket extends PrivateBucket {
  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id, { settings, lifecycle: { expiration: Duration.days(ACCESS_LOG_DAYS) } });
  }
}
