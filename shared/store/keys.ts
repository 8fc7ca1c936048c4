import { createHash } from 'node:crypto';

/*
 * The chart of access patterns. One table; every key is built and parsed here.
 *
 * question                                 pk                               sk
 * ---------------------------------------  -------------------------------  ----------------------------
 * a client                                 CLIENT#<client>                  CLIENT
 * the client of a gateway key              KEY#<gateway key id>             KEY
 * a user of a client                       USER#<client>#<user>             USER
 * an invoicing record of a patient         USER#<client>#<user>             INVOICING#<id>
 * who has this e-mail, this phone          EMAIL#<sha256>                   CLIENT#<client>
 *                                          PHONE#<sha256>                   CLIENT#<client>
 * wrong passwords of an account            LOGIN#<client>#<sha256>          LOGIN
 *   those from one source                                                   SOURCE#<sha256>
 * wrong passwords of a source              SOURCE#<sha256>                  SOURCE
 * who wants a new password, to be mailed   PASSWORDS#REQUESTED              <requested at>#<client>#<sha256>
 * a link that sets a user's password       LINK#<client>#<user>             <sha256 of its secret>
 * the public key of access tokens          SIGNER#<sha256>                  SIGNER
 * the next block of ids                    IDS#<kind>                       IDS
 * an order with all that belongs to it     ORDER#<order>                    CLIENT#<client>
 *   its events, in order                                                   EVENT#<version>#<place>
 * the orders of a view, by creation        CREATED#<client>#<viewer>        <created_at>#<order>
 *   the same that have a pair of statuses  PAIR#<client>#<viewer>#<pair>    <created_at>#<order>
 *   how many have each pair of statuses    COUNT#<client>#<viewer>          SHARD#00..
 * the times from order to delivery         DELAYS#<client>                  DELAYS
 * patients by a part of their name         NAME#<client>#<hash>             <hash>#<patient>#<sha256>
 *   long names, which stand there alone    NAME#<client>#LONG               NAME#<patient>#<sha256>
 *   the names that a patient has had       NAME#<client>#PATIENT#<patient>  NAME#<patient>#<sha256>
 * open orders of all clients, by age       OPEN#<order_status>              <created_at>#<order>
 *   cancelled ones that were paid          OPEN#refund_due                  <created_at>#<order>
 * invoices of one list status, those that  INVOICES#<status>                <due or requested at>#<order>
 *   are due first
 * orders whose payments a job reconciles   PAYMENTS#WATCHED                 <last requested at>#<order>
 *   with an exception, by its kind         PAYMENTS#<list>                  <created_at>#<order>
 * orders whose invoice a patient or doctor INVOICES#<client>#<user>         <requested at>#<order>
 *   has requested, by time
 * paid orders without an invoice, by time  UNINVOICED#ORDERS                <paid at>#<order>
 *   of payment
 * global invoices of a period              GLOBAL#PARTS                     <period>#<part>
 *   the sales of a part                    GLOBAL#<period>#<part>           SALES
 * tax documents, by time of stamp and of   LEDGER#DOCUMENTS                 <at>#<provider's key>#
 *   cancellation                                                             <stamped or cancelled>
 * orders of erased patients that keep      RETAINED#ORDERS                  <last day>#<order>
 *   records, those that are due first
 * orders that redeemed a limited coupon    COUPON#<client>                  COUPON#<coupon>
 *   those of one patient                   COUPON#<client>                  PATIENT#<coupon>#<patient>
 * which order a document stands in         DOCUMENT#<document key>          DOCUMENT
 * what was paid and refunded in a day of    TILL#<yyyy-mm-dd>                <at>#<order>#<version>#<place>
 *   UTC
 * what was dispensed in a month of UTC     DISPENSED#<yyyy-mm>              <dispensed at>#<order>
 *   which orders dispensed a product       DISPENSED#<product>              <day of UTC>#<order>
 * in which orders an equal document stands HASH#<sha256 of its bytes>       ORDER#<order>#<prescription>
 * what was answered to an idempotency key  IDEMPOTENCY#<client>#<user>#     IDEMPOTENCY
 *                                            <sha256>
 * the events of a client's orders          FEED#<client>                    EVENT#<number>
 *   the number of the last one                                              LAST
 * orders with events that could not be     UNPUBLISHED#ORDERS               <written at>#<order>
 *   published, by time
 * events that the event bus refused, the   UNPUBLISHED#BUS                  <at, or last refused at>#<order>#
 *   next to retry first                                                     <version>#<place>
 * endpoints of webhooks of all clients     WEBHOOKS#ENDPOINTS               <client>#<endpoint>
 *   the secrets that sign for one          SECRET#<endpoint>                SECRET
 *   orders whose events wait for a retry   QUEUES#<endpoint>                ORDER#<order>
 *   or are sent once more
 *   the outcome of each event              DELIVERIES#<endpoint>            <number>
 * what the stores have of a product        STOCK#<product>                  STORE#<store>
 *   what operators changed, in order                                        CHANGE#<at>#<store>#<random>
 * an order's payments of the sandbox, on   SANDBOX#<order>                  SANDBOX
 *   the local server alone
 *
 * The client is part of every key of a client's own records, so that another client's record is absent, not refused. For
 * operators' lookups without a known client, the client is the sort key.
 */

export const TABLE = { partitionKey: 'pk', sortKey: 'sk', timeToLive: 'ttl' } as const;

export type Key = { readonly pk: string; readonly sk: string };

/** The first part of the partition key. */
export type RecordKind =
  | 'CLIENT'
  | 'KEY'
  | 'USER'
  | 'EMAIL'
  | 'PHONE'
  | 'LOGIN'
  | 'SOURCE'
  | 'PASSWORDS'
  | 'LINK'
  | 'SIGNER'
  | 'IDS'
  | 'ORDER'
  | 'CREATED'
  | 'PAIR'
  | 'COUNT'
  | 'DELAYS'
  | 'NAME'
  | 'OPEN'
  | 'INVOICES'
  | 'PAYMENTS'
  | 'UNINVOICED'
  | 'GLOBAL'
  | 'LEDGER'
  | 'RETAINED'
  | 'COUPON'
  | 'DOCUMENT'
  | 'HASH'
  | 'DISPENSED'
  | 'TILL'
  | 'IDEMPOTENCY'
  | 'FEED'
  | 'UNPUBLISHED'
  | 'WEBHOOKS'
  | 'SECRET'
  | 'QUEUES'
  | 'DELIVERIES'
  | 'STOCK'
  | 'SANDBOX';

const joinKey = (...parts: readonly (string | number)[]): string => parts.join('#');
const partition: (kind: RecordKind, ...parts: readonly (string | number)[]) => string = joinKey;
const makeKey = (pk: string, sk: string): Key => ({ pk, sk });
/** The key of a record that is alone in its partition, with its kind as the sort key. */
const single = (kind: RecordKind, ...parts: readonly (string | number)[]): Key =>
  makeKey(partition(kind, ...parts), kind);

/** The prefix of a kind's partition keys, or of those with these first parts. */
export const partitionStart = (kind: RecordKind, ...parts: readonly (string | number)[]): string =>
  joinKey(kind, ...parts, '');
export const parseKind = (pk: string): RecordKind => pk.split('#')[0] as RecordKind;

/** Matches a kind's partition keys in a policy. */
export const kindPattern = (kind: RecordKind): string => joinKey(kind, '*');

/** The sort key of a client's record in a partition of all clients. */
const clientSortKey = (client: number): string => joinKey('CLIENT', client);
export const parseClientSortKey = (sk: string): number => Number(sk.split('#')[1]);

export const toKey = ({ pk, sk }: Readonly<Record<string, unknown>>): Key => ({ pk: String(pk), sk: String(sk) });
/** One text per key, for maps. */
export const keyName = ({ pk, sk }: Readonly<Record<string, unknown>>): string => `${pk} ${sk}`;

// Addresses and numbers are hashed, as keys appear in AWS's metrics and error messages.
const digest = (value: string) => createHash('sha256').update(value).digest('base64url');

export const clientKey = (client: number): Key => single('CLIENT', client);
export const gatewayKeyKey = (gatewayKeyId: string): Key => single('KEY', gatewayKeyId);

export const userKey = (client: number, user: number): Key => single('USER', client, user);
/** The prefix of the sort keys of a patient's invoicing records. */
export const INVOICING_START = joinKey('INVOICING', '');
export const invoicingKey = (client: number, user: number, invoicing: number): Key =>
  makeKey(userKey(client, user).pk, `${INVOICING_START}${invoicing}`);

/** `email` in lower case. */
export const emailKey = (client: number, email: string): Key => makeKey(emailPartition(email), clientSortKey(client));
export const emailPartition = (email: string): string => partition('EMAIL', digest(email));
/** `phone` as E.164. */
export const phoneKey = (client: number, phone: string): Key => makeKey(phonePartition(phone), clientSortKey(client));
export const phonePartition = (phone: string): string => partition('PHONE', digest(phone));

/** `email` in lower case. */
export const accountAttemptsPartition = (client: number, email: string): string =>
  partition('LOGIN', client, digest(email));
export const accountAttemptsKey = (client: number, email: string): Key =>
  makeKey(accountAttemptsPartition(client, email), 'LOGIN');
export const accountSourceAttemptsKey = (client: number, email: string, address: string): Key =>
  makeKey(accountAttemptsPartition(client, email), joinKey('SOURCE', digest(address)));
export const passwordTriesKey = (client: number, email: string): Key =>
  makeKey(accountAttemptsPartition(client, email), 'PASSWORD');
export const PASSWORDS_PARTITION = 'PASSWORDS#REQUESTED' satisfies `${RecordKind}#${string}`;
/** Without the e-mail itself: a request is of the mark that the e-mail has, or has not. */
export const passwordRequestKey = (at: string, client: number, email: string): Key =>
  makeKey(PASSWORDS_PARTITION, joinKey(at, client, digest(email)));
/** Returns the client and the mark of the e-mail that a request names. */
export function parsePasswordRequest({ sk }: Readonly<Record<string, unknown>>) {
  const [requestedAt = '', client = '', hash = ''] = String(sk).split('#');
  return {
    requestedAt,
    clientId: Number(client),
    mark: makeKey(partition('EMAIL', hash), clientSortKey(Number(client))),
  };
}
export const passwordLinkKey = (client: number, user: number, secret: string): Key =>
  makeKey(partition('LINK', client, user), digest(secret));
export const sourceAttemptsKey = (address: string): Key => single('SOURCE', digest(address));

/** `kid`: the key's name in tokens. */
export const tokenKeyKey = (kid: string): Key => single('SIGNER', kid);

export type IdKind = 'client' | 'order' | 'record' | 'webhook';
export const idsKey = (kind: IdKind): Key => single('IDS', kind);

export const orderKey = (client: number, order: number): Key => makeKey(orderPartition(order), clientSortKey(client));
/** Prefixes of the sort keys of orders, and of the events of orders and feeds. */
export const ORDER_START = joinKey('CLIENT', '');
export const EVENT_START = joinKey('EVENT', '');
export const END_OF_EVENTS = `${EVENT_START}~`;
type EventPlace = { readonly orderId: number; readonly version: number; readonly place: number };
export const orderEventKey = ({ orderId, version, place }: EventPlace): Key =>
  makeKey(orderPartition(orderId), `${EVENT_START}${eventName(version, place)}`);
/** Sorts by version, then by place. */
const eventName = (version: number, place: number): string =>
  joinKey(String(version).padStart(8, '0'), String(place).padStart(3, '0'));
export const orderPartition = (order: number): string => partition('ORDER', order);
export const parseOrderPartition = (pk: string): number => Number(pk.split('#')[1]);

export const couponPartition = (client: number): string => partition('COUPON', client);
/** The prefix of the sort keys of coupons' counters over all patients. */
export const COUPON_COUNTERS = 'COUPON#';
export const couponCounterKey = (client: number, coupon: number): Key =>
  makeKey(couponPartition(client), `${COUPON_COUNTERS}${coupon}`);
/** Returns the coupon of such a counter. */
export const parseCouponCounter = ({ sk }: Readonly<Record<string, unknown>>): number =>
  Number(String(sk).slice(COUPON_COUNTERS.length));
export const patientCouponKey = (client: number, coupon: number, patient: number): Key =>
  makeKey(couponPartition(client), joinKey('PATIENT', coupon, patient));

/** `document`: its key in the bucket. */
export const documentMarkKey = (document: string): Key => single('DOCUMENT', document);

/** `hash`: that of the document's bytes. */
export const documentUseKey = (hash: string, order: number, prescription: number): Key =>
  makeKey(documentUsesPartition(hash), joinKey('ORDER', order, prescription));
export const documentUsesPartition = (hash: string): string => partition('HASH', hash);

/** `day` in UTC. */
export const tillPartition = (day: string): string => partition('TILL', day);
export const tillKey = (at: string, { orderId, version, place }: EventPlace): Key =>
  makeKey(
    tillPartition(at.slice(0, 'yyyy-mm-dd'.length)),
    joinKey(creationKey(at, orderId), eventName(version, place)),
  );

/** `month` in UTC: `2026-11`. */
export const dispensedPartition = (month: string): string => partition('DISPENSED', month);
export const dispensedProductPartition = (product: number): string => partition('DISPENSED', product);

/** `client`: all insurance employees of the client. */
export type Viewer = 'client' | `patient#${number}` | `doctor#${number}`;
export const patientViewer = (id: number): Viewer => `patient#${id}`;
export const doctorViewer = (id: number): Viewer => `doctor#${id}`;
/** Undefined for other views than a doctor's. */
export const parseDoctor = (viewer: Viewer): number | undefined =>
  viewerKind(viewer) === 'doctor' ? Number(viewer.split('#')[1]) : undefined;
export const viewerKind = (viewer: Viewer) => viewer.split('#')[0] as 'client' | 'patient' | 'doctor';

export const createdPartition = (client: number, viewer: Viewer): string => partition('CREATED', client, viewer);
/** `pair`: the name of a pair of statuses. */
export const pairPartition = (client: number, viewer: Viewer, pair: string): string =>
  partition('PAIR', client, viewer, pair);
export const openPartition = (orderStatus: string): string => partition('OPEN', orderStatus);
export const refundsPartition = (): string => openPartition('refund_due');

const ID_DIGITS = 15;
/** Ids are padded, as orders of one instant or day sort by id. */
export const creationKey = (createdAt: string, order: number): string =>
  joinKey(createdAt, String(order).padStart(ID_DIGITS, '0'));
export function parseCreationKey(key: string): { createdAt: string; order: number } {
  const [createdAt, order] = key.split('#') as [string, string];
  return { createdAt, order: Number(order) };
}

export const parseOrderId = ({ sk }: Readonly<Record<string, unknown>>): number => parseCreationKey(String(sk)).order;

/** Sorts after every creation key of this instant, and before later ones: `$` follows `#`. */
export const endOfInstant = (instant: string): string => `${instant}$`;
/** Sort before and after all creation keys. */
export const FIRST_CREATION = '!';
export const LAST_CREATION = '~';

export const invoicesPartition = (status: string): string => partition('INVOICES', status);
export const WATCHED_PAYMENTS = 'PAYMENTS#WATCHED' satisfies `${RecordKind}#${string}`;
export const paymentsPartition = (list: string): string => partition('PAYMENTS', list);
export const requestedInvoicesPartition = (client: number, user: number): string => partition('INVOICES', client, user);
export const UNINVOICED_PARTITION = 'UNINVOICED#ORDERS' satisfies `${RecordKind}#${string}`;
export const LEDGER_PARTITION = 'LEDGER#DOCUMENTS' satisfies `${RecordKind}#${string}`;
/** A document may be stamped and cancelled at the same instant. */
export const ledgerKey = (at: string, documentKey: string, what: 'stamped' | 'cancelled'): Key =>
  makeKey(LEDGER_PARTITION, joinKey(at, documentKey, what));

const PART_DIGITS = 4;
const partName = (part: number): string => String(part).padStart(PART_DIGITS, '0');
export const GLOBAL_PARTITION = 'GLOBAL#PARTS' satisfies `${RecordKind}#${string}`;
/** `period`: a local month, `2026-11`; parts are counted from 1. */
export const globalPartKey = (period: string, part: number): Key =>
  makeKey(GLOBAL_PARTITION, joinKey(period, partName(part)));
export const globalSalesKey = (period: string, part: number): Key =>
  makeKey(partition('GLOBAL', period, partName(part)), 'SALES');

export const RETAINED_PARTITION = 'RETAINED#ORDERS' satisfies `${RecordKind}#${string}`;

export const counterPartition = (client: number, viewer: Viewer): string => partition('COUNT', client, viewer);
export const counterKey = (client: number, viewer: Viewer, shard: number): Key =>
  makeKey(counterPartition(client, viewer), joinKey('SHARD', String(shard).padStart(2, '0')));

export const delaysKey = (client: number): Key => single('DELAYS', client);

/** The number of a name part's letters in its partition key; shorter parts are not indexed. */
export const NAME_LETTERS = 3;
/** A longer part is found by this prefix, then compared by the whole name. */
export const LONGEST_NAME_PART = 32;

// Hashes each prefix, so that the digest of a text begins with the digests of its prefixes.
const digestLetters = (letters: readonly string[]): string =>
  letters.map((_, index) => digest(letters.slice(0, index + 1).join('')).slice(0, 2)).join('');

/** Returns the partition and sort key prefix of the names with a part that begins with this folded text. */
export function nameQuery(client: number, part: string) {
  const letters = [...part].slice(0, LONGEST_NAME_PART);
  const pk = partition('NAME', client, digestLetters(letters.slice(0, NAME_LETTERS)));
  return { pk, start: digestLetters(letters) };
}
export const nameKey = (client: number, part: string, { patient, name }: { patient: number; name: string }): Key => {
  const { pk, start } = nameQuery(client, part);
  return makeKey(pk, joinKey(start, patient, digestName(name)));
};
export const patientNamesPartition = (client: number, patient: number): string =>
  partition('NAME', client, 'PATIENT', patient);
export const patientNameKey = (client: number, patient: number, name: string): Key =>
  makeKey(patientNamesPartition(client, patient), wholeNameSortKey(patient, name));
export const longNamesPartition = (client: number): string => partition('NAME', client, 'LONG');
export const longNameKey = (client: number, patient: number, name: string): Key =>
  makeKey(longNamesPartition(client), wholeNameSortKey(patient, name));
const wholeNameSortKey = (patient: number, name: string): string => joinKey('NAME', patient, digestName(name));
// Distinguishes the few names that one patient has had.
const digestName = (name: string): string => digest(name).slice(0, 8);
/** Returns the patient of a name's or part's key. */
export const parseNameKey = (sk: string): number => Number(sk.split('#').at(-2));

export const idempotencyKey = (client: number, user: number, key: string): Key =>
  single('IDEMPOTENCY', client, user, digest(key));

export const feedPartition = (client: number): string => partition('FEED', client);
const SEQUENCE_DIGITS = 15;
/** `sequence` counts a client's events from 1. */
export const feedEventKey = (client: number, sequence: number): Key =>
  makeKey(feedPartition(client), `${EVENT_START}${String(sequence).padStart(SEQUENCE_DIGITS, '0')}`);
export const parseFeedEvent = ({ sk }: Readonly<Record<string, unknown>>): number =>
  Number(String(sk).slice(EVENT_START.length));
export const feedCounterKey = (client: number): Key => ({ pk: feedPartition(client), sk: 'LAST' });
export const UNPUBLISHED_PARTITION = 'UNPUBLISHED#ORDERS' satisfies `${RecordKind}#${string}`;
export const REFUSED_BY_BUS_PARTITION = 'UNPUBLISHED#BUS' satisfies `${RecordKind}#${string}`;
export const refusedByBusKey = (at: string, { orderId, version, place }: EventPlace): Key =>
  makeKey(REFUSED_BY_BUS_PARTITION, joinKey(creationKey(at, orderId), eventName(version, place)));
export const WEBHOOKS_PARTITION = 'WEBHOOKS#ENDPOINTS' satisfies `${RecordKind}#${string}`;
/** The prefix of the sort keys of a client's endpoints. */
export const clientWebhooks = (client: number): string => joinKey(client, '');
export const webhookKey = (client: number, endpoint: number): Key =>
  makeKey(WEBHOOKS_PARTITION, joinKey(client, endpoint));
/** Endpoint ids are unique over all clients. */
export const webhookSecretsKey = (endpoint: number): Key => single('SECRET', endpoint);
export const queuesPartition = (endpoint: number): string => partition('QUEUES', endpoint);
export const queueKey = (endpoint: number, order: number): Key =>
  makeKey(queuesPartition(endpoint), joinKey('ORDER', order));
export const deliveriesPartition = (endpoint: number): string => partition('DELIVERIES', endpoint);
/** `sequence`: an event's number in its client's feed. */
export const deliveryKey = (endpoint: number, sequence: number): Key =>
  makeKey(deliveriesPartition(endpoint), String(sequence).padStart(SEQUENCE_DIGITS, '0'));

export const stockPartition = (product: number): string => partition('STOCK', product);
/** The prefixes of the sort keys of a product's levels, and of the changes by operators. */
export const STORE_START = joinKey('STORE', '');
export const STOCK_CHANGE_START = joinKey('CHANGE', '');
export const stockKey = (product: number, store: number): Key =>
  makeKey(stockPartition(product), `${STORE_START}${store}`);
export const parseStockKey = ({ pk, sk }: Readonly<Record<string, unknown>>): { product: number; store: number } => ({
  product: Number(String(pk).split('#')[1]),
  store: Number(String(sk).split('#')[1]),
});
/** `random` distinguishes the changes of one instant. */
export const stockChangeKey = (product: number, at: string, store: number, random: string): Key =>
  makeKey(stockPartition(product), joinKey('CHANGE', at, store, random));

export const sandboxKey = (order: number): Key => single('SANDBOX', order);
