import * as z from 'zod';
import { createSecret } from '../../../shared/events/webhooks/send.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { openTable } from '../../../shared/store/table.ts';
import { ConditionFailed } from '../../../shared/store/table-failures.ts';
import { changeEndpoint, replaceSecret } from '../../../shared/store/webhooks/endpoints.ts';
import { CommandRefusal, command } from '../command.ts';
import { recordId } from '../input.ts';
import { holdInterrupts } from '../terminal/interrupt.ts';
import { secretAdvice, secretText } from './create.ts';
import { endpointId, existingEndpoint } from './existing-endpoint.ts';

const HOUR_MS = 60 * 60 * 1_000;
const CHANGED_MEANWHILE = 'Somebody else has changed the webhook meanwhile. Nothing was changed.';
const LONGEST_HOURS = 30 * 24;

const hours = recordId.pipe(z.number().max(LONGEST_HOURS)).prefault('24').meta({ title: 'hours' });

export const webhooksRotate = command({
  name: 'webhooks rotate',
  summary: 'Give a webhook a new secret, shown this once; the former one signs as well for a time',
  example: '1 --keep-hours 48',
  arguments: { webhook: endpointId },
  options: { keepHours: hours },
  async run({ webhook, keepHours }, call) {
    const table = openTable();
    const endpoint = await existingEndpoint(webhook, table);
    holdInterrupts();
    const secret = createSecret();
    const at = now();
    const until = new Date(at.getTime() + keepHours * HOUR_MS).toISOString();
    await replaceSecret(table, endpoint, { secret, until, now: at }).catch((error) => {
      throw error instanceof ConditionFailed ? new CommandRefusal(CHANGED_MEANWHILE) : error;
    });
    return {
      document: { id: webhook, secret, former_secret_until: until },
      text: `Webhook ${webhook} has a new secret; the former one signs as well until ${until}.\n${secretText(secret)}`,
      unprinted: secretAdvice(webhook, call),
    };
  },
});

export const webhooksDisable = command({
  name: 'webhooks disable',
  summary: 'Send no more events to a webhook; they wait until it is enabled',
  example: '1',
  arguments: { webhook: endpointId },
  async run({ webhook }) {
    await changeWebhook(webhook, { disabled: { by: 'operator', at: now().toISOString() } });
    return { document: { id: webhook, state: 'disabled' }, text: `Webhook ${webhook} is disabled.\n` };
  },
});

export const webhooksEnable = command({
  name: 'webhooks enable',
  summary: 'Send events to a disabled webhook again, those that it missed (30 days at most) first',
  example: '1',
  arguments: { webhook: endpointId },
  async run({ webhook }) {
    const fresh = { disabled: null, failingSince: null, pausedUntil: null, isNoticeDue: false };
    await changeWebhook(webhook, { ...fresh, dueAt: now().toISOString() });
    return {
      document: { id: webhook, state: 'enabled' },
      text: `Webhook ${webhook} is enabled. It gets what it missed within a minute.\n`,
    };
  },
});

async function changeWebhook(webhook: number, change: Parameters<typeof changeEndpoint>[2]): Promise<void> {
  const table = openTable();
  await changeEndpoint(table, await existingEndpoint(webhook, table), change);
}
