import type { IUsagePlan } from 'aws-cdk-lib/aws-apigateway';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { OrdersTable, VersionedBucket } from './data.ts';
import type { Sender } from './mail/sender.ts';
import type { Settings } from './settings.ts';
import type { SigningKeys } from './signing-keys.ts';

export type Resources = {
  readonly settings: Settings;
  readonly table: OrdersTable;
  readonly catalog: VersionedBucket;
  readonly documents: VersionedBucket;
  readonly tokenKeys: SigningKeys;
  readonly sealKeys: SigningKeys;
  /** Undefined in a stage without mail. */
  readonly sender: Sender | undefined;
  readonly usagePlan: IUsagePlan;
  readonly providerKey: ISecret | undefined;
  /** Undefined without a payment provider. */
  readonly paymentSecrets: ISecret | undefined;
};
