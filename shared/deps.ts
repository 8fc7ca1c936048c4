import { tmpdir } from 'node:os';
import { S3Client } from '@aws-sdk/client-s3';
import { authenticateUser, identifyClient } from './access/authenticate.ts';
import { type Client, createClientLookup } from './access/clients.ts';
import {
  configuredSealKeys,
  configuredTokenKeys,
  findTokenKey,
  keptPublicKeys,
  publishedTokenKeys,
  publishTokenKey,
  type SigningKeySource,
  type TokenKeySource,
} from './access/signing-keys.ts';
import type { CatalogBucket } from './catalog/bucket.ts';
import { type Catalog, withoutCosts } from './catalog/catalog.ts';
import { currentCatalog } from './catalog/current.ts';
import type { DeliveryDeps } from './events/webhooks/endpoint-turn.ts';
import { sendWebhook } from './events/webhooks/send.ts';
import type { Credentials } from './http/credentials.ts';
import { configuredProvider } from './invoices/configured.ts';
import { openMailer } from './mail/send.ts';
import { configuredPayments } from './payments/configured.ts';
import { perContainer } from './runtime/async.ts';
import { configuredAccess } from './runtime/aws.ts';
import { now } from './runtime/clock.ts';
import {
  awsConfig,
  catalogBucketConfig,
  catalogConfig,
  documentsConfig,
  hasSender,
  isOnLambda,
  tokenConfig,
  webhookConfig,
} from './runtime/config.ts';
import { openEventBus } from './runtime/job-clients.ts';
import { logError } from './runtime/log.ts';
import { Documents } from './store/documents.ts';
import { Ids } from './store/ids.ts';
import { userKey } from './store/keys.ts';
import { isPaused, refusePaused } from './store/pause.ts';
import { openTable } from './store/table.ts';

// Everything here outlives a request and is opened on first use, so that importing has no effect. The PURE marks let esbuild
// leave out of a bundle what its route does not use.

/** Opens something that a function's first request would otherwise wait for. */
type Preparation = () => Promise<unknown>;

const openedCatalog = /* @__PURE__ */ perContainer(() => {
  const { CATALOG_BUCKET, IMAGE_BASE_URL } = catalogConfig();
  const { AWS_ENDPOINT_URL_S3, S3_PATH_STYLE } = awsConfig();
  return currentCatalog({
    ...configuredAccess(),
    bucket: CATALOG_BUCKET,
    directory: tmpdir(),
    imageBaseUrl: IMAGE_BASE_URL,
    endpoint: AWS_ENDPOINT_URL_S3,
    pathStyle: S3_PATH_STYLE,
    now: () => now().getTime(),
  });
});
export const catalog = (): Promise<Catalog> => openedCatalog()();
export const catalogReady: Preparation = () => catalog();
/** The catalog as a client may see it. */
export const catalogFor = async ({ seesCosts }: Pick<Client, 'seesCosts'>): Promise<Catalog> =>
  seesCosts ? catalog() : withoutCosts(await catalog());

export const catalogBucket = (): CatalogBucket => ({
  s3: new S3Client({ forcePathStyle: awsConfig().S3_PATH_STYLE }),
  name: catalogBucketConfig().CATALOG_BUCKET,
});

export const table = /* @__PURE__ */ perContainer(openTable);
export const ids = /* @__PURE__ */ perContainer(() => new Ids(table()));
export const documents = /* @__PURE__ */ perContainer(() => {
  const { DOCUMENTS_BUCKET, SCAN_DOCUMENTS: isScanned } = documentsConfig();
  return new Documents(DOCUMENTS_BUCKET, awsConfig().S3_PATH_STYLE, { isScanned });
});
export const invoicing = /* @__PURE__ */ perContainer(configuredProvider);
export const payments = /* @__PURE__ */ perContainer(() => configuredPayments(table));
/** The sources from which a client sees an order: the catalog, without costs unless it may see them, and the documents. */
export const sourcesFor = async (client: Pick<Client, 'seesCosts'>) => {
  return { catalog: await catalogFor(client), documents: documents() };
};
/** Undefined in a stage without a sender. */
export const mail = /* @__PURE__ */ perContainer(() => (hasSender() ? openMailer() : undefined));

export const eventBus = /* @__PURE__ */ perContainer(openEventBus);

export const deliveryDeps = (): DeliveryDeps => {
  const { WEBHOOK_REACH: reach } = webhookConfig();
  const send: DeliveryDeps['send'] = (target, message) => sendWebhook(target, message, { reach });
  return { table: table(), now, send, random: Math.random };
};

const openedTokenKeys = /* @__PURE__ */ perContainer(() =>
  publishedTokenKeys(configuredTokenKeys(now), {
    publish: (kid, key) => publishTokenKey(table(), kid, key),
    lifetimeSeconds: tokenConfig().TOKEN_LIFETIME_SECONDS,
    now,
  }),
);
/** Sign access tokens, for the token route only. */
export const tokenKeys: TokenKeySource = async () => openedTokenKeys()();
export const tokenKeysReady: Preparation = () => tokenKeys();
const findPublicKey = /* @__PURE__ */ perContainer(() => keptPublicKeys((kid) => findTokenKey(table(), kid), now));

const openedSealKeys = /* @__PURE__ */ perContainer(() => configuredSealKeys(now));
/** Sign held prices, which few requests need, so they are not prepared during INIT. */
export const sealKeys: SigningKeySource = async () => openedSealKeys()();

const openedLookup = /* @__PURE__ */ perContainer(() => createClientLookup(table(), now));
/** Finds an enabled client by the gateway's id of its API key. */
export const findClient = (gatewayKeyId: string) => openedLookup()(gatewayKeyId);
/** A lookup of an unknown key loads the SDK and opens its connection before the first request. */
export const clientsReady: Preparation = () => findClient('none');

export const orderReady: readonly Preparation[] = [catalogReady, clientsReady];

export const clientByKey = (credentials: Credentials) => identifyClient({ findClient })(credentials);

const readUser = (client: number, user: number) => table().get(userKey(client, user));

export const userByToken = (credentials: Credentials) =>
  authenticateUser({ findClient, readUser, findPublicKey: findPublicKey(), now })(credentials);

/** For routes that write orders, which wait while the client's orders are rebuilt. */
export async function writerByToken(credentials: Credentials): ReturnType<typeof userByToken> {
  const caller = await userByToken(credentials);
  if (isPaused(caller.client)) await caller.confirmed;
  refusePaused(caller.client);
  return caller;
}

/**
 * Prepares a function during Lambda's INIT; elsewhere it does nothing, so that importing a handler has no effect. Awaited at
 * the top level, because Lambda freezes a function after INIT. A failure is logged and left to the first request: if INIT
 * failed, Lambda would start anew.
 */
export async function duringInit(...preparations: readonly Preparation[]): Promise<void> {
  if (!isOnLambda()) return;
  await Promise.all(preparations.map(tryToOpen));
}

async function tryToOpen(open: Preparation): Promise<void> {
  try {
    await open();
  } catch (error) {
    logError('the function is not ready after INIT', error, {});
  }
}
