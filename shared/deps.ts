import { S3Client } from '@aws-sdk/client-s3';
import { configuredTokenKeys, type TokenKeySource } from './access/token-keys.ts';
import type { Catalog } from './catalog/catalog.ts';
import type { CatalogBucket } from './catalog/publish/bucket.ts';
import { currentCatalog } from './catalog/read/current.ts';
import { Documents } from './documents/documents.ts';
import type { Credentials } from './http/request.ts';
import { configuredProvider } from './invoicing/configured.ts';
import type { InvoicingProvider } from './invoicing/provider.ts';
import { type Mailer, openMailer } from './mail/send.ts';
import { now } from './runtime/clock.ts';
import { awsConfig, catalogConfig, documentsConfig } from './runtime/config.ts';
import { clientOfGatewayKey } from './store/access/clients.ts';
import { Ids } from './store/ids.ts';
import { openTable, type Table } from './store/table.ts';
import { authenticateUser, identifyClient } from './usecases/access/authenticate.ts';

// What outlives a request, each opened when first asked for, so that importing has no effect and a bundle carries no
// more than its route asks for: these are functions, and what nobody calls is left out.

let openedCatalog: (() => Promise<Catalog>) | undefined;
/** The published catalog of the moment. */
export function catalog(): Promise<Catalog> {
  openedCatalog ??= openCurrentCatalog();
  return openedCatalog();
}

function openCurrentCatalog(): () => Promise<Catalog> {
  const aws = awsConfig();
  const { CATALOG_BUCKET, CATALOG_DIR, IMAGE_BASE_URL } = catalogConfig();
  return currentCatalog({
    bucket: CATALOG_BUCKET,
    directory: CATALOG_DIR,
    imageBaseUrl: IMAGE_BASE_URL,
    region: aws.AWS_REGION,
    credentials: {
      accessKeyId: aws.AWS_ACCESS_KEY_ID,
      secretAccessKey: aws.AWS_SECRET_ACCESS_KEY,
      sessionToken: aws.AWS_SESSION_TOKEN,
    },
    endpoint: aws.AWS_ENDPOINT_URL_S3,
    pathStyle: aws.S3_PATH_STYLE,
    now: () => now().getTime(),
  });
}

/** Where catalogs are published, for who looks after them. */
export const catalogBucket = (): CatalogBucket => ({
  s3: new S3Client({ forcePathStyle: awsConfig().S3_PATH_STYLE }),
  name: catalogConfig().CATALOG_BUCKET,
});

let openedTable: Table | undefined;
export function table(): Table {
  openedTable ??= openTable();
  return openedTable;
}

let openedIds: Ids | undefined;
export function ids(): Ids {
  openedIds ??= new Ids(table());
  return openedIds;
}

let openedDocuments: Documents | undefined;
export function documents(): Documents {
  openedDocuments ??= new Documents(documentsConfig().DOCUMENTS_BUCKET, awsConfig().S3_PATH_STYLE);
  return openedDocuments;
}

let openedInvoicing: InvoicingProvider | undefined;
export function invoicing(): InvoicingProvider {
  openedInvoicing ??= configuredProvider();
  return openedInvoicing;
}

let openedMail: Mailer | undefined;
export function mail(): Mailer {
  openedMail ??= openMailer();
  return openedMail;
}

let openedTokenKeys: TokenKeySource | undefined;
export function tokenKeys(): ReturnType<TokenKeySource> {
  openedTokenKeys ??= configuredTokenKeys(now);
  return openedTokenKeys();
}

let openedClients: ReturnType<typeof clientOfGatewayKey> | undefined;
function clientOfKey(gatewayKeyId: string) {
  openedClients ??= clientOfGatewayKey(table(), now);
  return openedClients(gatewayKeyId);
}

/** For routes that need the client but nobody of it. */
export const clientByKey = (credentials: Credentials) =>
  identifyClient({ clientOfGatewayKey: clientOfKey })(credentials);

/** For routes of a client's users. */
export const userByToken = (credentials: Credentials) =>
  authenticateUser({ clientOfGatewayKey: clientOfKey, tokenKeys, now })(credentials);
