import * as z from 'zod';
import { webhookSecretsKey } from '../../store/keys.ts';
import { parseItem, toItem } from '../../store/parse-item.ts';
import { ABSENT, type Table, type Write } from '../../store/table.ts';

// Secrets have their own record, which only the function that sends webhooks may read.

const storedSecrets = z.object({
  secret: z.string(),
  /** Latest first; each signs until its end. */
  formerSecrets: z.array(z.object({ value: z.string(), until: z.string() })).readonly(),
});
export type EndpointSecrets = Readonly<z.infer<typeof storedSecrets>>;

/** The write fails unless `former` is the current secret, or null and there is none. */
export const secretsWrite = (endpoint: number, secrets: EndpointSecrets, former: string | null): Write => ({
  Put: {
    Item: toItem(webhookSecretsKey(endpoint), secrets),
    ...(former === null
      ? { ConditionExpression: ABSENT }
      : { ConditionExpression: 'secret = :former', ExpressionAttributeValues: { ':former': former } }),
  },
});

export async function getSecrets(table: Table, endpoint: number): Promise<EndpointSecrets> {
  const item = await table.get(webhookSecretsKey(endpoint));
  if (!item) throw new Error('an endpoint of webhooks has its secrets');
  return parseItem(storedSecrets, item, 'webhook secrets');
}

export const listSigning = (formerSecrets: EndpointSecrets['formerSecrets'], now: Date) =>
  formerSecrets.filter(({ until }) => now.toISOString() < until);

/** Returns the current secret and the former ones that still sign. */
export const signingSecrets = ({ secret, formerSecrets }: EndpointSecrets, now: Date): string[] => [
  secret,
  ...listSigning(formerSecrets, now).map(({ value }) => value),
];
