import type { Endpoint } from '../../../shared/store/webhooks/endpoints.ts';
import type { CommandIo } from '../command.ts';
import { textTable } from '../terminal/text-table.ts';

/** An endpoint as commands show it, without its secrets. */
export const showEndpoint = (endpoint: Endpoint) => ({
  id: endpoint.id,
  client: endpoint.clientId,
  url: endpoint.url,
  event_types: endpoint.eventTypes,
  description: endpoint.description,
  email: endpoint.ownerEmail,
  state: endpoint.disabled ? 'disabled' : 'enabled',
  disabled_by: endpoint.disabled?.by ?? null,
  disabled_at: endpoint.disabled?.at ?? null,
  failing_since: endpoint.failingSince,
  paused_until: endpoint.pausedUntil,
  next_retry_at: endpoint.dueAt,
  given_up: endpoint.givenUpCount,
  position: endpoint.position,
  former_secret_until:
    endpoint.formerSecrets
      .map(({ until }) => until)
      .sort()
      .at(-1) ?? null,
  created_at: endpoint.createdAt,
});

const COLUMNS = ['id', 'client', 'url', 'types', 'email', 'state', 'failing_since', 'given_up'] as const;

/** Returns a line for each endpoint. */
export function endpointsText(endpoints: readonly Endpoint[], io: CommandIo): string {
  const rows = endpoints.map(showEndpoint).map((shown) => ({
    ...shown,
    types: shown.event_types?.join(',') ?? 'all',
    state: shown.disabled_by ? `disabled (${shown.disabled_by})` : shown.state,
  }));
  return textTable(COLUMNS, rows, io);
}
