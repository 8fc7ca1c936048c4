import { type Acknowledgment, Aws } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { CfnBucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { kindPattern, type RecordKind } from '../../../shared/store/keys.ts';
import { FAILED_RECORDS, type VersionedBucket } from '../data.ts';
import type { Resources } from '../resources.ts';

/**
 * The environment variables and permissions for one purpose. No local engine checks permissions; a missing one shows only on
 * AWS and in `test/deployed`, where each function runs with exactly the template's permissions.
 */
export type Need = (resources: Resources) => {
  readonly environment?: Readonly<Record<string, string>>;
  readonly rights?: readonly PolicyStatement[];
  /** cdk-nag's findings on these permissions, with the reasons to accept them. */
  readonly acknowledged?: readonly Acknowledgment[];
};

const right = (actions: readonly string[], resources: readonly string[]): PolicyStatement =>
  new PolicyStatement({ actions: [...actions], resources: [...resources] });

// Limited to the kinds of records that a function needs, of any client.
const toDynamoDb = (action: string): string => `dynamodb:${action}`;
const tableRight = (actions: readonly string[], kinds: readonly RecordKind[], resources: readonly string[]) =>
  new PolicyStatement({
    actions: actions.map(toDynamoDb),
    resources: [...resources],
    conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': kinds.map(kindPattern) } },
  });

export const records =
  (
    action: 'GetItem' | 'BatchGetItem' | 'Query' | 'UpdateItem' | 'BatchWriteItem',
    ...kinds: readonly RecordKind[]
  ): Need =>
  ({ table }) => ({
    environment: { TABLE_NAME: table.tableName },
    rights: [tableRight([action], kinds, [table.tableArn])],
  });

/** Each part of a transaction is allowed as its own operation (DynamoDB's guide, "Using IAM with DynamoDB transactions"). */
export const transactions =
  (
    actions: readonly ('PutItem' | 'UpdateItem' | 'DeleteItem' | 'ConditionCheckItem')[],
    ...kinds: readonly RecordKind[]
  ): Need =>
  ({ table, paymentSecrets }) => ({
    environment: { TABLE_NAME: table.tableName },
    // Without a payment provider there are no such records.
    rights: [
      tableRight(actions, paymentSecrets ? kinds : kinds.filter((kind) => kind !== 'PAYMENTS'), [table.tableArn]),
    ],
  });

/** Lambda reads the stream with the function's permissions (its guide, "Using AWS Lambda with Amazon DynamoDB"). */
export const tableStream: Need = ({ table: { tableStreamArn = '' } }) => ({
  rights: [
    right(['ListStreams', 'DescribeStream', 'GetShardIterator', 'GetRecords'].map(toDynamoDb), [tableStreamArn]),
  ],
});

/** Lambda stores failed stream records with the same permissions. */
export const failedRecords: Need = ({ documents }) => ({
  rights: [objects(documents, 'PutObject', FAILED_RECORDS), listing(documents)],
  acknowledged: [wholeFolder(documents, FAILED_RECORDS)],
});

export const objects = (bucket: VersionedBucket, action: string, keys: string): PolicyStatement =>
  right([`s3:${action}`], [bucket.arnForObjects(keys)]);

/** Without permission to list, S3 answers 403 instead of 404 for a missing object. */
const listing = ({ bucketArn }: VersionedBucket): PolicyStatement => right(['s3:ListBucket'], [bucketArn]);

export const wholeFolder = ({ stack, node }: VersionedBucket, keys: string): Acknowledgment => ({
  id: `AwsSolutions-IAM5[Resource::<${stack.getLogicalId(node.defaultChild as CfnBucket)}.Arn>/${keys}]`,
  reason: 'A prefix of one bucket: object names are hashes or random, and not known in advance.',
});

export const origins: Need = ({ settings }) => ({ environment: { CORS_ORIGINS: settings.corsOrigins.join(',') } });

export const catalog: Need = ({ catalog, settings }) => ({
  environment: { CATALOG_BUCKET: catalog.bucketName, IMAGE_BASE_URL: settings.imageBaseUrl },
  rights: [objects(catalog, 'GetObject', 'current.json'), objects(catalog, 'GetObject', 'snapshots/*')],
  acknowledged: [wholeFolder(catalog, 'snapshots/*')],
});

export const catalogListing: Need = ({ catalog }) => ({ rights: [listing(catalog)] });

export const documents =
  (...actions: readonly ('GetObject' | 'PutObject' | 'DeleteObject' | 'DeleteObjectVersion')[]): Need =>
  ({ documents, settings: { scanDocuments } }) => ({
    environment: { DOCUMENTS_BUCKET: documents.bucketName, ...(scanDocuments && { SCAN_DOCUMENTS: 'true' }) },
    rights: actions.map((action) => objects(documents, action, 'prescriptions/*')),
    acknowledged: [wholeFolder(documents, 'prescriptions/*')],
  });

export const invoiceFiles =
  (...actions: readonly ('GetObject' | 'PutObject' | 'DeleteObjectVersion')[]): Need =>
  ({ documents }) => ({
    environment: { DOCUMENTS_BUCKET: documents.bucketName },
    rights: actions.map((action) => objects(documents, action, 'invoices/*')),
    acknowledged: [wholeFolder(documents, 'invoices/*')],
  });

/** The configured bus may belong to another account or region, by its ARN. */
export const eventBus: Need = ({ settings: { eventBus = '' } }) => {
  const localArn = `arn:${Aws.PARTITION}:events:${Aws.REGION}:${Aws.ACCOUNT_ID}:event-bus/${eventBus}`;
  return {
    environment: { EVENT_BUS: eventBus },
    rights: [right(['events:PutEvents'], [eventBus.startsWith('arn:') ? eventBus : localArn])],
  };
};

export const whereBus =
  (need: Need): Need =>
  (resources) =>
    resources.settings.eventBus === undefined ? {} : need(resources);

export const documentVersions: Need = ({ documents }) => ({
  rights: [right(['s3:ListBucketVersions'], [documents.bucketArn])],
});

export const business: Need = ({ settings }) => ({
  environment: {
    BUSINESS_TIME_ZONE: settings.businessTimeZone,
    CUTOFF_TIME: settings.cutoffTime,
    IVA_RATE: settings.ivaRate,
    SHIPPING_IVA_RATE: settings.shippingIvaRate,
    ...(settings.borderZipcodes.length > 0 && { BORDER_ZIPCODES: settings.borderZipcodes.join(',') }),
  },
});

export const globalInvoice: Need = ({ settings: { purpose, globalInvoice, issuer } }) => ({
  environment: {
    GLOBAL_INVOICE: globalInvoice ?? (purpose === 'production' ? 'month' : 'off'),
    ISSUER_ZIPCODE: issuer.zipcode,
  },
});

export const userLimits: Need = ({
  settings: {
    userLimits: { ordersPerHour, invoicesPerDay },
  },
}) => ({
  environment: { USER_ORDERS_PER_HOUR: String(ordersPerHour), USER_INVOICES_PER_DAY: String(invoicesPerDay) },
});

export const tokenKeys: Need = ({ tokenKeys }) => ({
  environment: { TOKEN_SECRET_ID: tokenKeys.secretArn },
  rights: [right(['secretsmanager:GetSecretValue'], [tokenKeys.secretArn])],
});

/** The keys of held prices, with which tokens cannot be signed. */
export const sealKeys: Need = ({ sealKeys }) => ({
  environment: { SEAL_SECRET_ID: sealKeys.secretArn },
  rights: [right(['secretsmanager:GetSecretValue'], [sealKeys.secretArn])],
});

export const tokenLifetime: Need = ({ settings }) => ({
  environment: { TOKEN_LIFETIME_SECONDS: String(settings.tokenLifetimeSeconds) },
});

export const priceHold: Need = ({ settings }) => ({
  environment: { PRICE_HOLD_MINUTES: String(settings.priceHoldMinutes) },
});

export const invoicing =
  (use: 'issuing' | 'reading'): Need =>
  (resources) =>
    resources.providerKey ? facturapi(resources.providerKey, resources) : sandbox(use, resources);

const facturapi = ({ secretName, secretArn }: ISecret, { settings }: Resources): ReturnType<Need> => ({
  environment: { INVOICING_PROVIDER: 'facturapi', PURPOSE: settings.purpose, FACTURAPI_SECRET_ID: secretName },
  // Secrets Manager adds a hyphen and six characters to the name.
  rights: [right(['secretsmanager:GetSecretValue'], [`${secretArn}-??????`])],
});

const SANDBOX = 'sandbox-invoices/*';

const sandbox = (use: 'issuing' | 'reading', { settings, documents }: Resources): ReturnType<Need> => ({
  environment: {
    INVOICING_PROVIDER: 'sandbox',
    PURPOSE: settings.purpose,
    DOCUMENTS_BUCKET: documents.bucketName,
    ...issuer(settings),
  },
  rights: [
    objects(documents, 'GetObject', SANDBOX),
    ...(use === 'issuing' ? [objects(documents, 'PutObject', SANDBOX), listing(documents)] : []),
  ],
  acknowledged: [wholeFolder(documents, SANDBOX)],
});

export const collecting: Need = ({ settings: { payments } }) => {
  if (payments.provider === 'none') return {};
  const { provider, returnUrl, cardHours, oxxoDays, speiDays } = payments;
  return {
    environment: {
      PAYMENTS_PROVIDER: provider,
      CARD_PAYMENT_HOURS: String(cardHours),
      OXXO_PAYMENT_DAYS: String(oxxoDays),
      SPEI_PAYMENT_DAYS: String(speiDays),
      ...(returnUrl && { PAYMENT_RETURN_URL: returnUrl }),
    },
  };
};

export const payments: Need = (resources) => {
  const { paymentSecrets, settings } = resources;
  if (!paymentSecrets) return {};
  const { secretName, secretArn } = paymentSecrets;
  return {
    environment: { ...collecting(resources).environment, PURPOSE: settings.purpose, STRIPE_SECRET_ID: secretName },
    rights: [right(['secretsmanager:GetSecretValue'], [`${secretArn}-??????`])],
  };
};

export const whereCollected =
  (need: Need): Need =>
  (resources) =>
    resources.paymentSecrets ? need(resources) : {};

const issuer = ({ issuer }: Resources['settings']): Record<string, string> => ({
  ISSUER_LEGAL_NAME: issuer.legalName,
  ISSUER_RFC: issuer.rfc,
  ISSUER_REGIME: issuer.fiscalRegime,
  ISSUER_ZIPCODE: issuer.zipcode,
});

/** Without a sender, functions keep their mails. */
export const mail: Need = ({ sender }) => {
  if (!sender) return {};
  const { mailbox, configurationSetName, region, right, acknowledged } = sender;
  return {
    environment: { MAIL_SENDER: mailbox, MAIL_CONFIGURATION_SET: configurationSetName, MAIL_REGION: region },
    rights: [right()],
    acknowledged: [acknowledged],
  };
};
