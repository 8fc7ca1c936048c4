import { Aws } from 'aws-cdk-lib';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { SHORTAGES_KEY } from '../../../shared/catalog/shortages.ts';
import { kindPattern, type RecordKind } from '../../../shared/store/keys.ts';
import { FAILED_RECORDS, type Resources } from '../data.ts';
import type { Settings } from '../settings.ts';
import { allow } from '../stage.ts';

/** The environment variables and permissions for one purpose. Only AWS and `test/deployed` refuse what a permission lacks. */
export type Need = (resources: Resources) => {
  readonly environment?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly rights?: readonly PolicyStatement[];
};

export function toEnvironment(needs: readonly ReturnType<Need>[]): Record<string, string> {
  const variables: Record<string, unknown> = Object.assign({}, ...needs.map(({ environment }) => environment));
  const named = Object.entries(variables).filter(([, value]) => value !== undefined);
  return Object.fromEntries(named.map(([name, value]) => [name, String(value)]));
}

const where =
  (applies: (resources: Resources) => boolean) =>
  (...needs: readonly Need[]): readonly Need[] =>
    needs.map((need) => (resources) => (applies(resources) ? need(resources) : {}));
export const whereBus = where(({ settings }) => settings.eventBus !== undefined);
export const whereCollected = where(({ paymentSecrets }) => paymentSecrets !== undefined);

/** The settings as functions read them, in the groups of `shared/runtime/config.ts`. */
const toVariables = ({ purpose, issuer, payments, userLimits, ...settings }: Settings) => ({
  origins: { CORS_ORIGINS: settings.corsOrigins.join(',') },
  tokens: { TOKEN_LIFETIME_SECONDS: settings.tokenLifetimeSeconds },
  quotes: { PRICE_HOLD_MINUTES: settings.priceHoldMinutes },
  userLimits: { USER_ORDERS_PER_HOUR: userLimits.ordersPerHour, USER_INVOICES_PER_DAY: userLimits.invoicesPerDay },
  business: {
    BUSINESS_TIME_ZONE: settings.businessTimeZone,
    CUTOFF_TIME: settings.cutoffTime,
    IVA_RATE: settings.ivaRate,
    SHIPPING_IVA_RATE: settings.shippingIvaRate,
    BORDER_ZIPCODES: settings.borderZipcodes.join(',') || undefined,
    SHIPPING_STORE: settings.shippingStore,
  },
  invoicing: { INVOICING_PROVIDER: settings.invoicing.provider, PURPOSE: purpose },
  issuer: {
    ISSUER_LEGAL_NAME: issuer.legalName,
    ISSUER_RFC: issuer.rfc,
    ISSUER_REGIME: issuer.fiscalRegime,
    ISSUER_ZIPCODE: issuer.zipcode,
  },
  globalInvoice: {
    GLOBAL_INVOICE: settings.globalInvoice ?? (purpose === 'production' ? 'month' : 'off'),
    ISSUER_ZIPCODE: issuer.zipcode,
  },
  collecting: payments.provider !== 'none' && {
    PAYMENTS_PROVIDER: payments.provider,
    CARD_PAYMENT_HOURS: payments.cardHours,
    OXXO_PAYMENT_DAYS: payments.oxxoDays,
    SPEI_PAYMENT_DAYS: payments.speiDays,
    PAYMENT_RETURN_URL: payments.returnUrl,
  },
});

export const variables =
  (...groups: readonly (keyof ReturnType<typeof toVariables>)[]): Need =>
  ({ settings }) => ({ environment: Object.assign({}, ...groups.map((group) => toVariables(settings)[group])) });

const onRecords =
  (actions: string) =>
  (...kinds: readonly RecordKind[]): Need =>
  ({ table }) => ({
    environment: { TABLE_NAME: table.tableName },
    rights: [
      allow(actions, table.tableArn, {
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': kinds.map(kindPattern) },
      }),
    ],
  });

/**
 * Each allows one kind of access to records of the given kinds, of any client. A transaction needs the right to each of its parts
 * (DynamoDB's guide, "Using IAM with DynamoDB transactions").
 */
export const records = {
  get: onRecords('dynamodb:GetItem'),
  batchGet: onRecords('dynamodb:BatchGetItem'),
  query: onRecords('dynamodb:Query'),
  put: onRecords('dynamodb:PutItem'),
  putDelete: onRecords('dynamodb:PutItem dynamodb:DeleteItem'),
  delete: onRecords('dynamodb:DeleteItem'),
  update: onRecords('dynamodb:UpdateItem'),
  check: onRecords('dynamodb:ConditionCheckItem'),
  batchWrite: onRecords('dynamodb:BatchWriteItem'),
};

/** Lambda reads the stream with the function's permissions (its guide, "Using AWS Lambda with Amazon DynamoDB"). */
export const tableStream: Need = ({ table: { tableStreamArn = '' } }) => ({
  rights: [
    allow('dynamodb:ListStreams dynamodb:DescribeStream dynamodb:GetShardIterator dynamodb:GetRecords', tableStreamArn),
  ],
});

/** Lambda sends with the function's role. */
export const deadLetter: Need = ({ deadLetters }) => ({
  rights: [allow('sqs:SendMessage sqs:GetQueueAttributes sqs:GetQueueUrl', deadLetters.queueArn)],
});

type ObjectAction = 'GetObject' | 'PutObject' | 'DeleteObject' | 'DeleteObjectVersion';

export const objects = (bucket: Bucket, action: ObjectAction, ...keys: readonly string[]): PolicyStatement =>
  allow(
    `s3:${action}`,
    keys.map((key) => bucket.arnForObjects(key)),
  );

/** Without permission to list, S3 answers 403 instead of 404 for a missing object. */
export const listing = ({ bucketArn }: Bucket): PolicyStatement => allow('s3:ListBucket', bucketArn);

export const catalog: Need = ({ catalog, imageBaseUrl }) => ({
  environment: { CATALOG_BUCKET: catalog.bucketName, IMAGE_BASE_URL: imageBaseUrl },
  rights: [objects(catalog, 'GetObject', 'current.json', SHORTAGES_KEY, 'snapshots/*')],
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

export const catalogListing: Need = ({ catalog }) => ({ rights: [listing(catalog)] });

export const prescriptions =
  (...actions: readonly ObjectAction[]): Need =>
  ({ documents, settings }) => ({
    environment: { DOCUMENTS_BUCKET: documents.bucketName, ...(settings.scanDocuments && { SCAN_DOCUMENTS: true }) },
    rights: actions.map((action) => objects(documents, action, 'prescriptions/*')),
  });

export const invoiceFiles =
  (...actions: readonly ObjectAction[]): Need =>
  ({ documents }) => ({
    environment: { DOCUMENTS_BUCKET: documents.bucketName },
    rights: actions.map((action) => objects(documents, action, 'invoices/*')),
  });

export const documentVersions: Need = ({ documents }) => ({
  rights: [allow('s3:ListBucketVersions', documents.bucketArn)],
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
    rights: [allow('events:PutEvents', eventBus.startsWith('arn:') ? eventBus : localArn)],
  };
};

export const reading = (arn: string): PolicyStatement => allow('secretsmanager:GetSecretValue', arn);
// Secrets Manager adds a hyphen and six characters to the name.
const readingNamed = ({ secretArn }: ISecret): PolicyStatement => reading(`${secretArn}-??????`);

export const tokenKeys: Need = ({ tokenKeys: { secretArn } }) => ({
  environment: { TOKEN_SECRET_ID: secretArn },
  rights: [reading(secretArn)],
});

/** The keys of held prices, with which tokens cannot be signed. */
export const sealKeys: Need = ({ sealKeys: { secretArn } }) => ({
  environment: { SEAL_SECRET_ID: secretArn },
  rights: [reading(secretArn)],
});

const SANDBOX = 'sandbox-invoices/*';

export const invoicing: Need = ({ settings, providerKey, documents }) => {
  const { invoicing, issuer } = toVariables(settings);
  if (providerKey)
    return {
      environment: { ...invoicing, FACTURAPI_SECRET_ID: providerKey.secretName },
      rights: [readingNamed(providerKey)],
    };
  return {
    environment: { ...invoicing, ...issuer, DOCUMENTS_BUCKET: documents.bucketName },
    rights: [objects(documents, 'GetObject', SANDBOX), objects(documents, 'PutObject', SANDBOX), listing(documents)],
  };
};

/** Without a provider, a stage collects nothing. */
export const payments: Need = ({ settings, paymentSecrets }) =>
  paymentSecrets
    ? {
        environment: {
          ...toVariables(settings).collecting,
          PURPOSE: settings.purpose,
          STRIPE_SECRET_ID: paymentSecrets.secretName,
        },
        rights: [readingNamed(paymentSecrets)],
      }
    : {};

/** Without a sender, functions keep their mails. */
export const mail: Need = ({ sender }) => {
  if (!sender) return {};
  const { mailbox, configurationSetName, region, right } = sender;
  return {
    environment: { MAIL_SENDER: mailbox, MAIL_CONFIGURATION_SET: configurationSetName, MAIL_REGION: region },
    rights: [right()],
  };
};
