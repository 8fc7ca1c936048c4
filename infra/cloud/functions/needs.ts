import { Aws } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { SHORTAGES_KEY } from '../../../shared/catalog/shortages.ts';
import { kindPattern, type RecordKind } from '../../../shared/store/keys.ts';
import { FAILED_RECORDS, type Resources } from '../data.ts';
import type { Settings } from '../settings.ts';

/**
 * The environment variables and permissions for one purpose. No local engine checks permissions; a missing one shows only on
 * AWS and in `test/deployed`, where each function runs with exactly the template's permissions.
 */
export type Need = (resources: Resources) => {
  readonly environment?: Readonly<Record<string, string>>;
  readonly rights?: readonly PolicyStatement[];
};

const right = (actions: readonly string[], ...resources: readonly string[]): PolicyStatement =>
  new PolicyStatement({ actions: [...actions], resources: [...resources] });

// A transaction needs the right to each of its parts (DynamoDB's guide, "Using IAM with DynamoDB transactions").
const ACTIONS = {
  get: ['GetItem'],
  batchGet: ['BatchGetItem'],
  query: ['Query'],
  put: ['PutItem'],
  putDelete: ['PutItem', 'DeleteItem'],
  delete: ['DeleteItem'],
  update: ['UpdateItem'],
  check: ['ConditionCheckItem'],
  batchWrite: ['BatchWriteItem'],
} as const;

/** What a function may do with records of these kinds, of any client. */
export const records =
  (kinds: Readonly<Partial<Record<keyof typeof ACTIONS, readonly RecordKind[]>>>): Need =>
  ({ table }) => ({
    environment: { TABLE_NAME: table.tableName },
    rights: Object.entries(kinds).map(([verb, names]) => {
      const statement = right(ACTIONS[verb as keyof typeof ACTIONS].map(toDynamoDb), table.tableArn);
      statement.addCondition('ForAllValues:StringLike', { 'dynamodb:LeadingKeys': names.map(kindPattern) });
      return statement;
    }),
  });

const toDynamoDb = (action: string): string => `dynamodb:${action}`;

/** Lambda reads the stream with the function's permissions (its guide, "Using AWS Lambda with Amazon DynamoDB"). */
export const tableStream: Need = ({ table: { tableStreamArn = '' } }) => ({
  rights: [right(['ListStreams', 'DescribeStream', 'GetShardIterator', 'GetRecords'].map(toDynamoDb), tableStreamArn)],
});

export const objects = (bucket: Bucket, action: string, keys: string): PolicyStatement =>
  right([`s3:${action}`], bucket.arnForObjects(keys));

/** Without permission to list, S3 answers 403 instead of 404 for a missing object. */
export const listing = ({ bucketArn }: Bucket): PolicyStatement => right(['s3:ListBucket'], bucketArn);

export const catalog: Need = ({ catalog, imageBaseUrl }) => ({
  environment: { CATALOG_BUCKET: catalog.bucketName, IMAGE_BASE_URL: imageBaseUrl },
  rights: ['current.json', SHORTAGES_KEY, 'snapshots/*'].map((key) => objects(catalog, 'GetObject', key)),
});

/** For the job that keeps what is sold out. */
export const shortages: Need = ({ catalog }) => ({
  environment: { CATALOG_BUCKET: catalog.bucketName },
  rights: [
    objects(catalog, 'GetObject', SHORTAGES_KEY),
    objects(catalog, 'PutObject', SHORTAGES_KEY),
    listing(catalog),
  ],
});

/** The rights to write a version and to read the records of earlier ones. */
export const catalogPublishing: Need = ({ catalog }) => ({
  rights: [
    ...['current.json', 'snapshots/*', 'versions/*'].map((keys) => objects(catalog, 'PutObject', keys)),
    objects(catalog, 'GetObject', 'versions/*'),
  ],
});

export const catalogListing: Need = ({ catalog }) => ({ rights: [listing(catalog)] });

export const prescriptions =
  (...actions: readonly ('GetObject' | 'PutObject' | 'DeleteObject' | 'DeleteObjectVersion')[]): Need =>
  ({ documents, settings: { scanDocuments } }) => ({
    environment: { DOCUMENTS_BUCKET: documents.bucketName, ...(scanDocuments && { SCAN_DOCUMENTS: 'true' }) },
    rights: actions.map((action) => objects(documents, action, 'prescriptions/*')),
  });

export const invoiceFiles =
  (...actions: readonly ('GetObject' | 'PutObject' | 'DeleteObjectVersion')[]): Need =>
  ({ documents }) => ({
    environment: { DOCUMENTS_BUCKET: documents.bucketName },
    rights: actions.map((action) => objects(documents, action, 'invoices/*')),
  });

export const documentVersions: Need = ({ documents }) => ({
  rights: [right(['s3:ListBucketVersions'], documents.bucketArn)],
});

/** Lambda stores failed stream records with the function's permissions, too. */
export const failedRecords: Need = ({ documents }) => ({
  rights: [objects(documents, 'PutObject', FAILED_RECORDS), listing(documents)],
});

/** The configured bus may belong to another account or region, by its ARN. */
export const eventBus: Need = ({ settings: { eventBus = '' } }) => {
  const localArn = `arn:${Aws.PARTITION}:events:${Aws.REGION}:${Aws.ACCOUNT_ID}:event-bus/${eventBus}`;
  return {
    environment: { EVENT_BUS: eventBus },
    rights: [right(['events:PutEvents'], eventBus.startsWith('arn:') ? eventBus : localArn)],
  };
};

export const whereBus =
  (need: Need): Need =>
  (resources) =>
    resources.settings.eventBus === undefined ? {} : need(resources);

export const whereCollected =
  (need: Need): Need =>
  (resources) =>
    resources.paymentSecrets ? need(resources) : {};

const variables =
  (read: (settings: Settings) => Readonly<Record<string, string>>): Need =>
  ({ settings }) => ({ environment: read(settings) });

export const origins = variables(({ corsOrigins }) => ({ CORS_ORIGINS: corsOrigins.join(',') }));

export const business = variables(({ borderZipcodes, shippingStore, ...settings }) => ({
  BUSINESS_TIME_ZONE: settings.businessTimeZone,
  CUTOFF_TIME: settings.cutoffTime,
  IVA_RATE: settings.ivaRate,
  SHIPPING_IVA_RATE: settings.shippingIvaRate,
  ...(borderZipcodes.length > 0 && { BORDER_ZIPCODES: borderZipcodes.join(',') }),
  ...(shippingStore !== undefined && { SHIPPING_STORE: String(shippingStore) }),
}));

export const globalInvoice = variables(({ purpose, globalInvoice, issuer }) => ({
  GLOBAL_INVOICE: globalInvoice ?? (purpose === 'production' ? 'month' : 'off'),
  ISSUER_ZIPCODE: issuer.zipcode,
}));

export const userLimits = variables(({ userLimits: { ordersPerHour, invoicesPerDay } }) => ({
  USER_ORDERS_PER_HOUR: String(ordersPerHour),
  USER_INVOICES_PER_DAY: String(invoicesPerDay),
}));

export const tokenLifetime = variables(({ tokenLifetimeSeconds }) => ({
  TOKEN_LIFETIME_SECONDS: String(tokenLifetimeSeconds),
}));

export const priceHold = variables(({ priceHoldMinutes }) => ({ PRICE_HOLD_MINUTES: String(priceHoldMinutes) }));

export const secretRight = (arn: string): PolicyStatement => right(['secretsmanager:GetSecretValue'], arn);

export const tokenKeys: Need = ({ tokenKeys: { secretArn } }) => ({
  environment: { TOKEN_SECRET_ID: secretArn },
  rights: [secretRight(secretArn)],
});

/** The keys of held prices, with which tokens cannot be signed. */
export const sealKeys: Need = ({ sealKeys: { secretArn } }) => ({
  environment: { SEAL_SECRET_ID: secretArn },
  rights: [secretRight(secretArn)],
});

// Secrets Manager adds a hyphen and six characters to the name.
const namedSecretRight = ({ secretArn }: ISecret): PolicyStatement => secretRight(`${secretArn}-??????`);

export const invoicing =
  (use: 'issuing' | 'reading'): Need =>
  (resources) =>
    resources.providerKey ? facturapi(resources.providerKey, resources) : sandbox(use, resources);

const facturapi = (key: ISecret, { settings }: Resources): ReturnType<Need> => ({
  environment: { INVOICING_PROVIDER: 'facturapi', PURPOSE: settings.purpose, FACTURAPI_SECRET_ID: key.secretName },
  rights: [namedSecretRight(key)],
});

const SANDBOX = 'sandbox-invoices/*';

const sandbox = (use: 'issuing' | 'reading', { settings, documents }: Resources): ReturnType<Need> => ({
  environment: {
    INVOICING_PROVIDER: 'sandbox',
    PURPOSE: settings.purpose,
    DOCUMENTS_BUCKET: documents.bucketName,
    ISSUER_LEGAL_NAME: settings.issuer.legalName,
    ISSUER_RFC: settings.issuer.rfc,
    ISSUER_REGIME: settings.issuer.fiscalRegime,
    ISSUER_ZIPCODE: settings.issuer.zipcode,
  },
  rights: [
    objects(documents, 'GetObject', SANDBOX),
    ...(use === 'issuing' ? [objects(documents, 'PutObject', SANDBOX), listing(documents)] : []),
  ],
});

export const collecting = variables(({ payments }): Record<string, string> => {
  if (payments.provider === 'none') return {};
  const { provider, returnUrl, cardHours, oxxoDays, speiDays } = payments;
  return {
    PAYMENTS_PROVIDER: provider,
    CARD_PAYMENT_HOURS: String(cardHours),
    OXXO_PAYMENT_DAYS: String(oxxoDays),
    SPEI_PAYMENT_DAYS: String(speiDays),
    ...(returnUrl && { PAYMENT_RETURN_URL: returnUrl }),
  };
});

export const payments: Need = (resources) => {
  const { paymentSecrets, settings } = resources;
  if (!paymentSecrets) return {};
  const { secretName } = paymentSecrets;
  return {
    environment: { ...collecting(resources).environment, PURPOSE: settings.purpose, STRIPE_SECRET_ID: secretName },
    rights: [namedSecretRight(paymentSecrets)],
  };
};

/** Without a sender, functions keep their mails. */
export const mail: Need = ({ sender }) => {
  if (!sender) return {};
  const { mailbox, configurationSetName, region, right } = sender;
  return {
    environment: { MAIL_SENDER: mailbox, MAIL_CONFIGURATION_SET: configurationSetName, MAIL_REGION: region },
    rights: [right()],
  };
};
