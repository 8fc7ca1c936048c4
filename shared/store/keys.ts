import { createHash } from 'node:crypto';

/*
 * The chart of access patterns. One table; every key is made here.
 *
 * what is asked                            pk                            sk
 * ---------------------------------------  ----------------------------  ---------------------------
 * a client                                 CLIENT#<client>               CLIENT
 * the client of a gateway key              KEY#<gateway key id>          KEY
 * a user of a client                       USER#<client>#<user>          USER
 * an invoicing record of a patient         USER#<client>#<user>          INVOICING#<id>
 * who has this e-mail, this phone          EMAIL#<client>#<sha256>       EMAIL
 *                                          PHONE#<client>#<sha256>       PHONE
 * wrong passwords of an account, a source  LOGIN#<client>#<sha256>       LOGIN
 *                                          SOURCE#<sha256>               SOURCE
 * the next block of ids                    IDS#<kind>                    IDS
 * an order with all that belongs to it     ORDER#<client>#<order>        ORDER
 * a view of orders, by creation            VIEW#<client>#<viewer>        <created_at>#<order>
 *   the same for one status                                              LSI byOrderStatus, byPaymentStatus
 *   the same in short, to walk through     ENTRY#<client>#<viewer>       <created_at>#<order>
 * how many orders of a view have which     COUNT#<client>#<viewer>       SHARD#00..
 *   pair of statuses
 * invoices of one standing, those that     INVOICES#<standing>           <due or requested at>#<order>
 *   are due first
 * which order a document stands in         DOCUMENT#<document key>       DOCUMENT
 * what was answered to an idempotency key  IDEMPOTENCY#<client>#<user>#  IDEMPOTENCY
 *                                            <sha256>
 *
 * The client stands in the partition key of everything that is a client's own, so that another client's
 * record is not refused but absent.
 */

export const TABLE = { partitionKey: 'pk', sortKey: 'sk', timeToLive: 'ttl' } as const;

/**
 * Local indexes of the rows of views, each with the partition key of the table, a sort key of its own and all attributes.
 * Unlike global ones they are read consistently, so that an order is in the next list.
 */
export const INDEXES = {
  byOrderStatus: { sortKey: 'orderStatusKey' },
  byPaymentStatus: { sortKey: 'paymentStatusKey' },
} as const;

export type Key = { readonly pk: string; readonly sk: string };

// Addresses and numbers are hashed: keys show up in metrics and error messages of AWS, people must not.
const digest = (value: string) => createHash('sha256').update(value).digest('base64url');

export const clientKey = (client: number): Key => ({ pk: `CLIENT#${client}`, sk: 'CLIENT' });
export const gatewayKeyKey = (gatewayKeyId: string): Key => ({ pk: `KEY#${gatewayKeyId}`, sk: 'KEY' });

const userPartition = (client: number, user: number) => `USER#${client}#${user}`;
export const userKey = (client: number, user: number): Key => ({ pk: userPartition(client, user), sk: 'USER' });
export const invoicingKey = (client: number, user: number, invoicing: number): Key => ({
  pk: userPartition(client, user),
  sk: `INVOICING#${invoicing}`,
});

/** `email` in lower case. */
export const emailKey = (client: number, email: string): Key => ({
  pk: `EMAIL#${client}#${digest(email)}`,
  sk: 'EMAIL',
});
/** `phone` as E.164. */
export const phoneKey = (client: number, phone: string): Key => ({
  pk: `PHONE#${client}#${digest(phone)}`,
  sk: 'PHONE',
});

export const accountAttemptsKey = (client: number, email: string): Key => ({
  pk: `LOGIN#${client}#${digest(email)}`,
  sk: 'LOGIN',
});
export const sourceAttemptsKey = (address: string): Key => ({ pk: `SOURCE#${digest(address)}`, sk: 'SOURCE' });

export type IdKind = 'client' | 'order' | 'record';
export const idsKey = (kind: IdKind): Key => ({ pk: `IDS#${kind}`, sk: 'IDS' });

export const orderKey = (client: number, order: number): Key => ({
  pk: `ORDER#${client}#${order}`,
  sk: 'ORDER',
});

/** `document` is the key of the document in its bucket. */
export const documentMarkKey = (document: string): Key => ({ pk: `DOCUMENT#${document}`, sk: 'DOCUMENT' });

export const viewPartition = (client: number, viewer: string): string => `VIEW#${client}#${viewer}`;
export const entryPartition = (client: number, viewer: string): string => `ENTRY#${client}#${viewer}`;
const ID_DIGITS = 15;
/** Orders of one instant are told apart by their ids, which therefore must sort as text. */
export const creationKey = (createdAt: string, order: number): string =>
  `${createdAt}#${String(order).padStart(ID_DIGITS, '0')}`;

export const invoicesPartition = (standing: string): string => `INVOICES#${standing}`;

export const counterPartition = (client: number, viewer: string): string => `COUNT#${client}#${viewer}`;
export const counterKey = (client: number, viewer: string, shard: number): Key => ({
  pk: counterPartition(client, viewer),
  sk: `SHARD#${String(shard).padStart(2, '0')}`,
});

export const idempotencyKey = (client: number, user: number, key: string): Key => ({
  pk: `IDEMPOTENCY#${client}#${user}#${digest(key)}`,
  sk: 'IDEMPOTENCY',
});
