import * as z from 'zod';
import { Refusal, type ValidationError } from '../domain/refusal.ts';
import type { Ids } from '../store/ids.ts';
import {
  emailKey,
  emailPartition,
  type Key,
  parseClientSortKey,
  parseKind,
  partitionStart,
  phoneKey,
  phonePartition,
  type RecordKind,
  userKey,
} from '../store/keys.ts';
import { parseItem, toItem } from '../store/parse-item.ts';
import { refuseWhilePaused } from '../store/pause.ts';
import { ABSENT, type Item, PRESENT, type Table, type Write } from '../store/table.ts';
import { ConditionFailed, isNotMade } from '../store/table-failures.ts';
import { toUpdate } from '../store/update.ts';
import { indexName, removeNames } from './name-index.ts';
import { OPTIONAL_FIELDS, storedPerson, storedShipping } from './person.ts';
import { ROLES, type Role } from './rules/roles.ts';

/** An erasure deletes the whole item; copies in orders have erasure rules of their own. */
const storedUser = storedPerson.extend({
  clientId: z.number(),
  passwordHash: z.string().nullable(),
  /** The number of password changes, which access tokens carry. */
  credentialsVersion: z.number().default(0),
  disabledAt: z.string().optional(),
  erasingAt: z.string().optional(),
  referredBy: z.number().nullable(),
  defaultShipping: storedShipping.nullable(),
  defaultInvoicing: z.number().nullable(),
  /** Fields from the doctor who registered the patient, until the patient or an employee replaces them. */
  unconfirmed: z.array(z.enum(OPTIONAL_FIELDS)).readonly().default([]),
  version: z.number(),
});
/** `version` grows with every change of personal data and is the condition of the next one. */
export type UserRecord = z.infer<typeof storedUser>;

const holder = z.object({ userId: z.number(), role: z.enum(ROLES) });
export type Holder = z.infer<typeof holder>;

export type NewUser = Pick<
  UserRecord,
  'clientId' | 'role' | 'email' | 'firstName' | 'lastName' | 'secondLastName' | 'phone' | 'passwordHash'
>;

export const userItem = (user: UserRecord): Item => toItem(userKey(user.clientId, user.id), user);

export const parseUser = (item: Item): UserRecord => parseItem(storedUser, item, 'user');

export const parseHolder = (item: Item): Holder => parseItem(holder, item, 'holder');

/** Returns the writes of a new user with the marks that keep e-mail and phone unique; a condition fails if one is taken. */
export function createUserWrites(user: UserRecord): Write[] {
  const { clientId, email, phone } = user;
  return [
    { Put: { Item: userItem(user), ConditionExpression: ABSENT } },
    markWrite(emailKey(clientId, email), user),
    ...(phone === '' ? [] : [markWrite(phoneKey(clientId, phone), user)]),
  ];
}

export const markWrite = (key: Key, { id: userId, role }: UserRecord): Write => ({
  Put: { Item: { ...key, userId, role }, ConditionExpression: ABSENT },
});

/** Registers a person without an order; `email` in lower case, `phone` E.164 or ''. Throws `invalid_input` if either is taken. */
export async function createUser(table: Table, ids: Ids, input: NewUser, now: Date): Promise<UserRecord> {
  await refuseWhilePaused(table, input.clientId);
  const [id] = (await ids.take('record', 1)) as [number];
  const user = newUser(id, input, now.toISOString());
  if (user.role === 'patient') await indexName(table, null, user);
  const writes = createUserWrites(user);
  try {
    await table.transact(writes);
  } catch (error) {
    await unindexUnstored(table, user, error);
    throw error instanceof ConditionFailed ? takenRefusal(error, writes) : error;
  }
  return user;
}

/** Removes the index of a patient whose write failed. After an unknown outcome it stays: the patient may still be stored. */
export async function unindexUnstored(
  table: Table,
  { clientId, id }: Pick<UserRecord, 'clientId' | 'id'>,
  error: unknown,
): Promise<void> {
  if (!isNotMade(error) || (await userById(table, clientId, id))) return;
  await removeNames(table, { clientId, id });
}

export const newUser = (id: number, input: NewUser, time: string): UserRecord => ({
  ...input,
  id,
  credentialsVersion: 0,
  sex: null,
  birthdate: null,
  medicalCondition: '',
  createdBy: null,
  referredBy: null,
  defaultShipping: null,
  defaultInvoicing: null,
  unconfirmed: [],
  dateJoined: time,
  createdAt: time,
  updatedAt: time,
  version: 1,
});

const TAKEN: Partial<Record<RecordKind, ValidationError>> = {
  EMAIL: { path: ['email'], code: 'email_taken' },
  PHONE: { path: ['phone'], code: 'phone_taken' },
};

/** Returns the refusal of a taken e-mail or phone, by the failed writes of marks. */
export function takenRefusal(cause: ConditionFailed, writes: readonly Write[]): Refusal {
  const failed = cause.failed.map((index) => writes[index]);
  const marks = failed.flatMap((write) => (write && 'Put' in write ? parseKind(String(write.Put.Item?.pk)) : []));
  return new Refusal('invalid_input', { errors: marks.flatMap((kind) => TAKEN[kind] ?? []), cause });
}

/** `email` must be in lower case. */
export async function userByEmail(table: Table, client: number, email: string): Promise<UserRecord | undefined> {
  const mark = await table.get(emailKey(client, email));
  return mark && userById(table, client, parseHolder(mark).userId);
}

/** Returns the id of the patient who has the mark of an e-mail or a phone; one read. */
export async function markedPatient(table: Table, key: Key): Promise<number | undefined> {
  const mark = await table.get(key);
  const owner = mark && parseHolder(mark);
  return owner?.role === 'patient' ? owner.userId : undefined;
}

/** For operators: users of all clients with this e-mail, in lower case; a query and a batch of reads. */
export const usersByEmail = (table: Table, email: string): Promise<UserRecord[]> =>
  markedUsers(table, emailPartition(email));

/** For operators: users of all clients with this phone, E.164; a query and a batch of reads. */
export const usersByPhone = (table: Table, phone: string): Promise<UserRecord[]> =>
  markedUsers(table, phonePartition(phone));

async function markedUsers(table: Table, pk: string): Promise<UserRecord[]> {
  const marks = await table.all({ pk });
  const keys = marks.map((mark) => userKey(parseClientSortKey(String(mark.sk)), parseHolder(mark).userId));
  return (await table.getAll(keys)).flatMap((item) => (item ? parseUser(item) : []));
}

export async function userById(table: Table, client: number, user: number): Promise<UserRecord | undefined> {
  const item = await table.get(userKey(client, user));
  return item && parseUser(item);
}

/** Stores a new hash of the same password, unless the password changed meanwhile. The version stays, so that no order fails. */
export async function replacePasswordHash(table: Table, user: UserRecord, passwordHash: string): Promise<void> {
  const [where, values] = ['passwordHash = :old', { ':old': user.passwordHash }];
  await table.tryUpdate(toUpdate(userKey(user.clientId, user.id), { set: { passwordHash }, where, values }));
}

/** Sets a new password, which ends all access tokens; the version stays. Throws ConditionFailed if there is no such user. */
export async function setPasswordHash(table: Table, user: UserRecord, passwordHash: string): Promise<void> {
  const changes = { set: { passwordHash }, add: { credentialsVersion: 1 }, where: PRESENT };
  await table.update(toUpdate(userKey(user.clientId, user.id), changes));
}

/**
 * Returns the write of a password that the user chooses, which ends all access tokens. Its condition fails if the password was
 * changed since `credentialsVersion`, and if the user is disabled, being erased or gone.
 */
export const ownPasswordWrite = (
  { clientId, id, credentialsVersion }: Pick<UserRecord, 'clientId' | 'id' | 'credentialsVersion'>,
  passwordHash: string,
): Write => ({
  Update: toUpdate(userKey(clientId, id), {
    set: { passwordHash },
    add: { credentialsVersion: 1 },
    where: 'credentialsVersion = :seen AND attribute_not_exists(disabledAt) AND attribute_not_exists(erasingAt)',
    values: { ':seen': credentialsVersion },
  }),
});

/** Throws ConditionFailed if there is no such user. */
export async function setUserState(
  table: Table,
  user: UserRecord,
  { state, now }: { readonly state: 'enabled' | 'disabled'; readonly now: Date },
): Promise<void> {
  const values = { ':now': now.toISOString() };
  const change =
    state === 'enabled'
      ? { UpdateExpression: 'REMOVE disabledAt' }
      : { UpdateExpression: 'SET disabledAt = if_not_exists(disabledAt, :now)', ExpressionAttributeValues: values };
  await table.update({ Key: userKey(user.clientId, user.id), ConditionExpression: PRESENT, ...change });
}

/** For operators: the users of a client with these roles, by id. Reads the whole table once. */
export async function listUsers(table: Table, client: number, roles: readonly Role[]): Promise<UserRecord[]> {
  const users: UserRecord[] = [];
  const values = { ':start': partitionStart('USER', client), ':user': 'USER' };
  await table.scan({ filter: 'begins_with(pk, :start) AND sk = :user', values }, (item) => users.push(parseUser(item)));
  return users.filter(({ role }) => roles.includes(role)).sort((one, other) => one.id - other.id);
}
