import { AttributeType, Billing, StreamViewType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { TABLE } from '../../shared/store/keys.ts';
import { removalPolicyOfUndeletable } from './removal-policy.ts';
import type { Settings } from './settings.ts';

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
