import type { IUsagePlan } from 'aws-cdk-lib/aws-apigateway';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { OrdersTable, VersionedBucket } from './data.ts';
import type { Sender } from './mail/sender.ts';
import type { Settings } from './settings.ts';
import type { SigningKeys } from './signing-keys.ts';

/** The resources that functions may need access to. */
export type Resources = {
  readonly settings: Settings;
  readonly table: OrdersTable;
  readonly catalog: VersionedBucket;
  readonly documents: VersionedBucket;
  readonly tokenKeys: SigningKeys;
  readonly sealKeys: SigningKeys;
  /** Undefined in a stage that sends no mail. */
  readonly sender: Sender | undefined;
  readonly usagePlan: IUsagePlan;
  /** The key of the invoicing provider; undefined for the sandbox, which needs none. */
  readonly providerKey: ISecret | undefined;
  /** The secrets of the payment provider; undefined without one. */
  readonly paymentSecrets: ISecret | undefined;
};
