import * as z from 'zod';
import { toErrorCode } from '../../shared/runtime/log.ts';
import { type Command, command } from '../ops/command.ts';
import { CommandRefusal } from '../ops/errors.ts';
import { recordId } from '../ops/input.ts';
import { describePlace } from '../ops/target.ts';

const ANY_PORT = 0;

const counter = command({
  name: 'counter',
  summary: 'Open a page on this machine for those who work on orders all day; Ctrl-C ends it',
  example: '--port 4101',
  details:
    'The address holds a token that only this terminal shows. The page does what your credentials may do, in your name.',
  input: z.object({ port: recordId.pipe(z.number().max(65_535)).meta({ title: 'port' }).optional() }),
  // Unless one is asked for, the port is another at each start: on one that all know, a program of another user could serve a
  // page first whose worker the browser would keep, and give the next counter's address with its token to.
  async run({ port = ANY_PORT }, call) {
    // Loaded late, since no other command needs the bundler and the server.
    const { openCounter } = await import('./server/server.ts');
    const operator = await call.operator();
    const place = describePlace(process.env)?.trim() ?? '';
    const opened = await openCounter({ port, operator, place, isLocal: call.isLocal }).catch((error) => {
      if (toErrorCode(error) !== 'EADDRINUSE') throw error;
      throw new CommandRefusal(`Port ${port} is in use, perhaps by another counter: --port takes another one.`);
    });
    try {
      await (call.isJson ? call.stderr : call.stdout).write(`${opened.address}\nCtrl-C ends the counter.\n`);
      await interrupted();
    } finally {
      await opened.close();
    }
    return { document: { port: Number(new URL(opened.address).port) }, text: 'The counter has ended.\n' };
  },
});

// npm forwards a Ctrl-C that this process has already received, so that the listener stays.
const interrupted = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });

export const counterCommands: readonly Command[] = [counter];
