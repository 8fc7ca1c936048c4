import * as z from 'zod';
import { webhookSecretsKey } from '../../store/keys.ts';
import { parseItem, toItem } from '../../store/parse-item.ts';
import { ABSENT, type Table, type Write } from '../../store/table.ts';

/*
 * The secrets of an endpoint stand in a record of their own, which the function that sends webhooks may read, and the others
 * that look for endpoints may not.
 */

const storedSecrets = z.object({
  secret: z.string(),
  /** The former secrets, the latest first, each of which signs as well until its end. */
  formerSecrets: z.array(z.object({ value: z.string(), until: z.string() })).readonly(),
});
/** The secrets that sign the events for an endpoint. */
export type EndpointSecrets = Readonly<z.infer<typeof storedSecrets>>;

/** Returns the write of the secrets of an endpoint. Its condition fails unless `former` is the present one, if there is any. */
export const secretsWrite = (endpoint: number, secrets: EndpointSecrets, former: string | null): Write => ({
  Put: {
    Item: toItem(webhookSecretsKey(endpoint), secrets),
    ...(former === null
      ? { ConditionExpression: ABSENT }
      : { ConditionExpression: 'secret = :former', ExpressionAttributeValues: { ':former': former } }),
  },
});

/** Returns the secrets of an endpoint that exists. */
export async function getSecrets(table: Table, endpoint: number): Promise<EndpointSecrets> {
  const item = await table.get(webhookSecretsKey(endpoint));
  if (!item) throw new Error('an endpoint of webhooks has its secrets');
  return parseItem(storedSecrets, item, 'webhook secrets');
}

/** Returns the former secrets that still sign. */
export const listSigning = (formerSecrets: EndpointSecrets['formerSecrets'], now: Date) =>
  formerSecrets.filter(({ until }) => now.toISOString() < until);

/** Returns the secrets that sign now: the current one, and each former one until its end. */
export function signingSecrets({ secret, formerSecrets }: EndpointSecrets, now: Date): string[] {
  return [secret, ...listSigning(formerSecrets, now).map(({ value }) => value)];
}
