import { openTable } from '../../../shared/store/table.ts';
import { listEndpoints } from '../../../shared/store/webhooks/endpoints.ts';
import { type Command, command } from '../command.ts';
import { recordId } from '../input.ts';
import { webhooksCreate } from './create.ts';
import { webhooksDeliveries } from './deliveries.ts';
import { endpointsText, showEndpoint } from './endpoint-list.ts';
import { webhooksReplay } from './replay.ts';
import { webhooksDisable, webhooksEnable, webhooksRotate } from './state.ts';
import { webhooksTest } from './test-event.ts';

const webhooksList = command({
  name: 'webhooks list',
  effect: 'reads',
  summary: 'List the webhooks of all clients, or of one',
  example: '--client 2',
  options: { client: recordId.optional() },
  async run({ client }, call) {
    const endpoints = await listEndpoints(openTable(), client);
    return { document: { webhooks: endpoints.map(showEndpoint) }, text: endpointsText(endpoints, call) };
  },
});

export const webhookCommands: readonly Command[] = [
  webhooksCreate,
  webhooksList,
  webhooksTest,
  webhooksRotate,
  webhooksDisable,
  webhooksEnable,
  webhooksDeliveries,
  webhooksReplay,
];
