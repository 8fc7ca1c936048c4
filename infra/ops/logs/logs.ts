import * as z from 'zod';
import { type Command, command } from '../command.ts';
import { upTo } from '../input.ts';

const logs = command({
  name: 'logs',
  summary: 'Show what failed in the last day, or every line of one request, with stack traces by source line',
  example: '--outputs .local/demo.json --request 5f1c0c53-9f1b-4a51-8f3a-2d0d4c1b7f55',
  input: z.object({
    request: z.string().max(100).optional().meta({ title: 'X-Request-Id' }),
    function: z.string().optional().meta({ title: 'orders-create' }),
    from: z.string().prefault('1d').meta({ title: 'time' }),
    to: z.string().prefault('0m').meta({ title: 'time' }),
    limit: upTo(1_000, '100'),
  }),
  async run(input, context) {
    // Loaded late, since no other command needs the client.
    const { showLogs } = await import('./show-logs.ts');
    return showLogs(input, context);
  },
});

export const logCommands: readonly Command[] = [logs];
