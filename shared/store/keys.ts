import { createHash } from 'node:crypto';

/*
 * The chart of access patterns. One table; every key is made here.
 *
 * what is asked                            pk                            sk
 * ---------------------------------------  ----------------------------  ---------------------------
 * a client                                 CLIENT#<client>               CLIENT
 * the client of a gateway key              KEY#<gateway key id>          KEY
 * a user of a client                       USER#<client>#<user>          USER
 * an address or invoicing record of one    USER#<client>#<user>          SHIPPING#<id>, INVOICING#<id>
 * who has this e-mail, this phone          EMAIL#<client>#<sha256>       EMAIL
 *                                          PHONE#<client>#<sha256>       PHONE
 * wrong passwords of an account, a source  LOGIN#<client>#<sha256>       LOGIN
 *                                          SOURCE#<sha256>               SOURCE
 * the next block of ids                    IDS#<kind>                    IDS
 * an order with all that belongs to it     ORDER#<client>#<order>        ORDER, LINE#01.., PRESCRIPTION#01..
 *
 * The client stands in the partition key of everything that is a client's own, so that another client's
 * record is not refused but absent.
 */

export const TABLE = { partitionKey: 'pk', sortKey: 'sk', timeToLive: 'ttl' } as const;

export type Key = { readonly pk: string; readonly sk: string };

// Addresses and numbers are hashed: keys show up in metrics and error messages of AWS, people must not.
const digest = (value: string) => createHash('sha256').update(value).digest('base64url');
const position = (index: number) => String(index + 1).padStart(2, '0');

export const clientKey = (client: number): Key => ({ pk: `CLIENT#${client}`, sk: 'CLIENT' });
export const gatewayKeyKey = (gatewayKeyId: string): Key => ({ pk: `KEY#${gatewayKeyId}`, sk: 'KEY' });

const userPartition = (client: number, user: number) => `USER#${client}#${user}`;
export const userKey = (client: number, user: number): Key => ({ pk: userPartition(client, user), sk: 'USER' });
export const shippingKey = (client: number, user: number, shipping: number): Key => ({
  pk: userPartition(client, user),
  sk: `SHIPPING#${shipping}`,
});
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

export const orderPartition = (client: number, order: number): string => `ORDER#${client}#${order}`;
export const orderKey = (client: number, order: number): Key => ({ pk: orderPartition(client, order), sk: 'ORDER' });
/** `index` from 0. */
export const lineKey = (client: number, order: number, index: number): Key => ({
  pk: orderPartition(client, order),
  sk: `LINE#${position(index)}`,
});
/** `index` from 0. */
export const prescriptionKey = (client: number, order: number, index: number): Key => ({
  pk: orderPartition(client, order),
  sk: `PRESCRIPTION#${position(index)}`,
});
