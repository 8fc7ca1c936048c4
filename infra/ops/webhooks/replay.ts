import * as z from 'zod';
import { now } from '../../../shared/runtime/clock.ts';
import { openTable } from '../../../shared/store/table.ts';
import { type Replay, replayEvents } from '../../../shared/usecases/webhooks/replay-events.ts';
import { CommandRefusal, command } from '../command.ts';
import { UsageError } from '../input.ts';
import { endpointId, existingEndpoint } from './existing-endpoint.ts';

const eventId = z.string().max(64).meta({ title: 'evt_…' });
const instant = z.iso
  .datetime({ offset: true })
  .transform((written) => new Date(written))
  .meta({ title: '2026-11-23T18:00:00Z' });

type Chosen = {
  event?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  givenUp?: boolean | undefined;
};

export const webhooksReplay = command({
  name: 'webhooks replay',
  summary: 'Send events to a webhook once more: one, those of a span of time, or all that were given up',
  example: '1 --from 2026-11-23T18:00:00Z --to 2026-11-23T19:00:00Z',
  details: 'Events are kept for 30 days. --to is now, if it is not given.\n\n',
  arguments: { webhook: endpointId },
  options: {
    event: eventId.optional(),
    from: instant.optional(),
    givenUp: z.literal(true).optional(),
    to: instant.optional(),
  },
  oneOf: { names: ['event', 'from', 'givenUp'], isRequired: true },
  async run({ webhook, ...chosen }) {
    const table = openTable();
    const endpoint = await existingEndpoint(webhook, table);
    const events = await replayEvents(table, endpoint, toReplay(chosen), now());
    if (events === 0) throw new CommandRefusal('There is no such event for this webhook.');
    return {
      document: { id: webhook, events },
      text: `${events} events are sent to webhook ${webhook} once more, within a minute.\n`,
      remark: endpoint.disabled ? 'It is disabled: they wait until it is enabled.' : undefined,
    };
  },
});

function toReplay({ event, from, to, givenUp }: Chosen): Replay {
  if (to && !from) throw new UsageError('--to needs --from.');
  if (event !== undefined) return { event };
  return from && !givenUp ? { from, to: to ?? now() } : { givenUp: true };
}
