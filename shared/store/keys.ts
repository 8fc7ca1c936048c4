import { createHash } from 'node:crypto';

/*
 * The chart of access patterns. One table; every key is made and read here.
 *
 * question                                 pk                            sk
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
 * invoices of one list status, those that  INVOICES#<status>             <due or requested at>#<order>
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

/** The kind of a record is the first part of its partition key. */
export type RecordKind =
  | 'CLIENT'
  | 'KEY'
  | 'USER'
  | 'EMAIL'
  | 'PHONE'
  | 'LOGIN'
  | 'SOURCE'
  | 'IDS'
  | 'ORDER'
  | 'VIEW'
  | 'ENTRY'
  | 'COUNT'
  | 'INVOICES'
  | 'DOCUMENT'
  | 'IDEMPOTENCY';

const joined = (...parts: readonly (string | number)[]): string => parts.join('#');
const partition: (kind: RecordKind, ...parts: readonly (string | number)[]) => string = joined;
/** The key of a record that is alone under its kind as the sort key. */
const single = (kind: RecordKind, ...parts: readonly (string | number)[]): Key => ({
  pk: partition(kind, ...parts),
  sk: kind,
});

/** Matches the partition keys of a kind in a policy. */
export const kindPattern = (kind: RecordKind): string => joined(kind, '*');

/** The key of a stored item. */
export const toKey = ({ pk, sk }: Readonly<Record<string, unknown>>): Key => ({ pk: String(pk), sk: String(sk) });

// Addresses and numbers are hashed: keys show up in metrics and error messages of AWS, people must not.
const digest = (value: string) => createHash('sha256').update(value).digest('base64url');

export const clientKey = (client: number): Key => single('CLIENT', client);
export const gatewayKeyKey = (gatewayKeyId: string): Key => single('KEY', gatewayKeyId);

export const userKey = (client: number, user: number): Key => single('USER', client, user);
export const invoicingKey = (client: number, user: number, invoicing: number): Key => ({
  ...userKey(client, user),
  sk: joined('INVOICING', invoicing),
});

/** `email` in lower case. */
export const emailKey = (client: number, email: string): Key => single('EMAIL', client, digest(email));
/** `phone` as E.164. */
export const phoneKey = (client: number, phone: string): Key => single('PHONE', client, digest(phone));

export const accountAttemptsKey = (client: number, email: string): Key => single('LOGIN', client, digest(email));
export const sourceAttemptsKey = (address: string): Key => single('SOURCE', digest(address));

export type IdKind = 'client' | 'order' | 'record';
export const idsKey = (kind: IdKind): Key => single('IDS', kind);

export const orderKey = (client: number, order: number): Key => single('ORDER', client, order);

/** `document` is the key of the document in its bucket. */
export const documentMarkKey = (document: string): Key => single('DOCUMENT', document);

/** A viewer of orders; `client` stands for all insurance employees of the client. */
export type Viewer = 'client' | `patient#${number}` | `doctor#${number}`;
export const patientViewer = (id: number): Viewer => `patient#${id}`;
export const doctorViewer = (id: number): Viewer => `doctor#${id}`;
export const viewerKind = (viewer: Viewer) => viewer.split('#')[0] as 'client' | 'patient' | 'doctor';

export const viewPartition = (client: number, viewer: Viewer): string => partition('VIEW', client, viewer);
export const entryPartition = (client: number, viewer: Viewer): string => partition('ENTRY', client, viewer);

const ID_DIGITS = 15;
/** Orders of one instant are told apart by their ids, which therefore must sort as text. */
export const creationKey = (createdAt: string, order: number): string =>
  joined(createdAt, String(order).padStart(ID_DIGITS, '0'));
export function parseCreationKey(key: string): { createdAt: string; order: number } {
  const [createdAt, order] = key.split('#') as [string, string];
  return { createdAt, order: Number(order) };
}

/** Comes after every creation key of this instant, and before those of later ones: `$` follows `#`. */
export const endOfInstant = (instant: string): string => `${instant}$`;
/** The first of all creation keys, the last, and the first after a given one. */
export const FIRST_CREATION = '!';
export const LAST_CREATION = '~';
export const nextCreation = (key: string): string => `${key}${FIRST_CREATION}`;

/** The sort key of a row in an index by status; without a creation key, what all rows of the status begin with. */
export const statusKey = (status: string, creation = ''): string => joined(status, creation);

export const invoicesPartition = (status: string): string => partition('INVOICES', status);

export const counterPartition = (client: number, viewer: Viewer): string => partition('COUNT', client, viewer);
export const counterKey = (client: number, viewer: Viewer, shard: number): Key => ({
  pk: counterPartition(client, viewer),
  sk: joined('SHARD', String(shard).padStart(2, '0')),
});
export const parseCounterKey = (key: string): number => Number(key.split('#')[1]);

export const idempotencyKey = (client: number, user: number, key: string): Key =>
  single('IDEMPOTENCY', client, user, digest(key));
