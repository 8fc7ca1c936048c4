import { AttributeType, Billing, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { TABLE } from '../../shared/store/keys.ts';
import { removalPolicy } from './removal-policy.ts';
import type { Settings } from './settings.ts';

const RECOVERY_DAYS = 35;

/** The single table, with the keys of `shared/store/keys.ts` and point-in-time recovery of 35 days. */
export class OrdersTable extends TableV2 {
  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id, {
      partitionKey: { name: TABLE.partitionKey, type: AttributeType.STRING },
      sortKey: { name: TABLE.sortKey, type: AttributeType.STRING },
      timeToLiveAttribute: TABLE.timeToLive,
      billing: Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true, recoveryPeriodInDays: RECOVERY_DAYS },
      deletionProtection: settings.dataOnRemoval === 'kept',
      removalPolicy: removalPolicy(settings),
    });
  }
}
