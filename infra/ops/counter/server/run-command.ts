import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Call, Command } from '../../command.ts';
import { COUNTER_COMMANDS } from './counter-commands.ts';
import { CounterRefusal } from './refusals.ts';

type Operator = { readonly operator: string; readonly isLocal: boolean };

/** Serves `POST /commands/<name>`, which runs a command with the JSON of the body as its input. */
export function serveCommands(server: FastifyInstance, operator: Operator): void {
  // Without it, a text would be a body as well.
  server.removeContentTypeParser('text/plain');
  server.post<{ Params: { name: string } }>('/commands/:name', async ({ params: { name }, body }) => {
    const { document, failure } = await findCommand(name).runNamed(Object(body) as never, silentCall(operator));
    // A command that has failed in part tells in its document what it has done.
    return failure === undefined ? { document } : { document, failure };
  });
}

function findCommand(name: string): Command {
  if (!Object.hasOwn(COUNTER_COMMANDS, name)) throw new CounterRefusal('unknown_command');
  return COUNTER_COMMANDS[name as keyof typeof COUNTER_COMMANDS];
}

/** Returns the call of a command that nobody watches at a terminal. */
const silentCall = ({ operator, isLocal }: Operator): Call => ({
  stdout: { write: () => true },
  stderr: { write: () => true },
  stdin: Readable.from([]),
  isTerminal: false,
  isJson: true,
  isLocal,
  operator: async () => operator,
});
