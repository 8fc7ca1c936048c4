import { tmpdir } from 'node:os';
import { S3Client } from '@aws-sdk/client-s3';
import { authenticateUser, identifyClient } from './access/authenticate.ts';
import { createClientLookup } from './access/clients.ts';
import { findTokenKey, publishTokenKey } from './access/published-keys.ts';
import { configuredSealKeys, configuredTokenKeys, type SigningKeySource } from './access/signing-keys.ts';
import { keptPublicKeys, publishedTokenKeys, type TokenKeySource } from './access/token-keys.ts';
import type { CatalogBucket } from './catalog/bucket.ts';
import type { Catalog } from './catalog/catalog.ts';
import { currentCatalog } from './catalog/current.ts';
import type { DeliveryDeps } from './events/webhooks/endpoint-turn.ts';
import { sendWebhook } from './events/webhooks/send.ts';
import type { Credentials } from './http/credentials.ts';
import { configuredProvider } from './invoices/configured.ts';
import { openMailer } from './mail/send.ts';
import { configuredPayments } from './payments/configured.ts';
import { configuredAccess } from './runtime/aws.ts';
import { now } from './runtime/clock.ts';
import { awsConfig, catalogConfig, documentsConfig, hasSender, tokenConfig, webhookConfig } from './runtime/config.ts';
import { perContainer } from './runtime/container.ts';
import type { Preparation } from './runtime/init.ts';
import { openEventBus } from './runtime/job-clients.ts';
import { Documents } from './store/documents.ts';
import { Ids } from './store/ids.ts';
import { userKey } from './store/keys.ts';
import { isPaused, refusePaused } from './store/pause.ts';
import { openTable } from './store/table.ts';

// Everything here outlives a request and is opened when it is first asked for, so that importing has no effect. The PURE
// marks let esbuild leave out of a bundle what its route never asks for.

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
/** The published catalog of the moment. */
export const catalog = (): Promise<Catalog> => openedCatalog()();
export const catalogReady: Preparation = () => catalog();

/** The bucket to which operators publish catalogs. */
export const catalogBucket = (): CatalogBucket => ({
  s3: new S3Client({ forcePathStyle: awsConfig().S3_PATH_STYLE }),
  name: catalogConfig().CATALOG_BUCKET,
});

export const table = /* @__PURE__ */ perContainer(openTable);
export const ids = /* @__PURE__ */ perContainer(() => new Ids(table()));
export const documents = /* @__PURE__ */ perContainer(
  () => new Documents(documentsConfig().DOCUMENTS_BUCKET, awsConfig().S3_PATH_STYLE),
);
export const invoicing = /* @__PURE__ */ perContainer(configuredProvider);
export const payments = /* @__PURE__ */ perContainer(() => configuredPayments(table));
/** Undefined in a stage without a sender. */
export const mail = /* @__PURE__ */ perContainer(() => (hasSender() ? openMailer() : undefined));

/** The EventBridge bus that gets the events of all clients. */
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
/** The keys that sign access tokens, for the token route alone. */
export const tokenKeys: TokenKeySource = async () => openedTokenKeys()();
export const tokenKeysReady: Preparation = () => tokenKeys();
const findPublicKey = /* @__PURE__ */ perContainer(() => keptPublicKeys((kid) => findTokenKey(table(), kid), now));

const openedSealKeys = /* @__PURE__ */ perContainer(() => configuredSealKeys(now));
/** The keys of held prices, which few requests ask for, so that none waits for them during INIT. */
export const sealKeys: SigningKeySource = async () => openedSealKeys()();

const openedLookup = /* @__PURE__ */ perContainer(() => createClientLookup(table(), now));
/** Returns the enabled client of an API key, by the gateway's id of the key. */
export const findClient = (gatewayKeyId: string) => openedLookup()(gatewayKeyId);
/** Looks up a key that nobody has, so that the SDK is loaded and its connection open before the first request. */
export const clientsReady: Preparation = () => findClient('none');

/** Prepares what every route of one order needs. */
export const orderReady: readonly Preparation[] = [catalogReady, clientsReady];

/** Authenticates for routes that need the client but none of its users. */
export const clientByKey = (credentials: Credentials) => identifyClient({ findClient })(credentials);

const readUser = (client: number, user: number) => table().get(userKey(client, user));

/** Authenticates for routes of a client's users. */
export const userByToken = (credentials: Credentials) =>
  authenticateUser({ findClient, readUser, findPublicKey: findPublicKey(), now })(credentials);

/** Authenticates for those that write orders, which wait while the orders of the client are rebuilt. */
export async function writerByToken(credentials: Credentials): ReturnType<typeof userByToken> {
  const caller = await userByToken(credentials);
  if (isPaused(caller.client)) await caller.confirmed;
  refusePaused(caller.client);
  return caller;
}
