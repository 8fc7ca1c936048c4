import { webhookConfig } from '../../../shared/runtime/config.ts';
import type { Table } from '../../../shared/store/table.ts';
import { type Endpoint, listEndpoints } from '../../../shared/store/webhooks/endpoints.ts';
import { CommandRefusal } from '../errors.ts';
import { recordId } from '../input.ts';

export const endpointId = recordId.describe('the id of a webhook');

/** Returns an endpoint of any client. Throws a CommandRefusal if it does not exist. */
export async function existingEndpoint(id: number, table: Table): Promise<Endpoint> {
  const found = (await listEndpoints(table)).find((endpoint) => endpoint.id === id);
  if (!found) throw new CommandRefusal(`There is no webhook ${id}.`);
  return found;
}

/** The addresses to which events are sent from here. */
export const webhookReach = () => webhookConfig().WEBHOOK_REACH;

/** A remark on the local server, which sends where a deployed stage does not. */
export const reachRemark = (): string | undefined =>
  webhookReach() === 'loopback'
    ? 'The local server also sends to this machine, by http too; a deployed stage only to public addresses, by https.'
    : undefined;
