import { randomBytes } from 'node:crypto';
import { judgeAnswer, type WebhookAnswer } from '../../../shared/events/webhooks/outcome.ts';
import { sendWebhook } from '../../../shared/events/webhooks/send.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { openTable } from '../../../shared/store/table.ts';
import { signingSecrets } from '../../../shared/usecases/webhooks/worker.ts';
import { command } from '../command.ts';
import { printable } from '../terminal/text-table.ts';
import { endpointId, existingEndpoint, reachRemark, webhookReach } from './existing-endpoint.ts';

const RANDOM_BYTES = 9;

export const webhooksTest = command({
  name: 'webhooks test',
  summary: 'Send a signed event of the type webhook.test from this machine, and show the answer',
  example: '1',
  arguments: { webhook: endpointId },
  async run({ webhook }) {
    const endpoint = await existingEndpoint(webhook, openTable());
    const sentAt = now();
    const id = `evt_test_${randomBytes(RANDOM_BYTES).toString('hex')}`;
    const body = JSON.stringify({ id, type: 'webhook.test', time: sentAt.toISOString() });
    const target = { url: endpoint.url, secrets: signingSecrets(endpoint, sentAt) };
    const answer = await sendWebhook(target, { id, sentAt, body }, { reach: webhookReach() });
    const isDelivered = judgeAnswer(answer) === 'delivered';
    const { status, code, durationMs, body: answered } = answer;
    return {
      document: { id: webhook, event: id, status, failure: code, duration_ms: durationMs, body: answered },
      text: answerText(answer),
      remark: reachRemark(),
      failure: isDelivered ? undefined : 'The test event was not taken: any answer but 2xx is a failure.',
    };
  },
});

const answerText = ({ status, code, durationMs, body }: WebhookAnswer): string => {
  const outcome = status === null ? `No answer: ${code}` : `Answered ${status}`;
  return `${outcome} after ${durationMs} ms\n${body === '' ? '' : `${printable(body)}\n`}`;
};
