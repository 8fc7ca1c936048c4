import { randomUUID } from 'node:crypto';
import type { Table } from '../../store/table.ts';
import { type Endpoint, getSecrets, signingSecrets } from './endpoints.ts';
import { judgeAnswer } from './outcome.ts';
import { sendWebhook } from './send.ts';

type Reach = Parameters<typeof sendWebhook>[2]['reach'];
type Sending = { readonly table: Table; readonly sentAt: Date };

/** Sends a signed event of the type `webhook.test` from this machine, which no delivery records. */
export async function sendTestEvent({ id, url }: Endpoint, reach: Reach, { table, sentAt }: Sending) {
  const event = `evt_test_${randomUUID()}`;
  const body = JSON.stringify({ id: event, type: 'webhook.test', time: sentAt.toISOString() });
  const target = { url, secrets: signingSecrets(await getSecrets(table, id), sentAt) };
  const answer = await sendWebhook(target, { id: event, sentAt, body }, { reach });
  return { event, isTaken: judgeAnswer(answer) === 'delivered', ...answer };
}
