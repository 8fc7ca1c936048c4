import * as z from 'zod';
import { type Command, CommandRefusal, command } from '../command.ts';
import { recordId } from '../input.ts';
import { describePlace } from '../target/place.ts';

// A fixed port keeps what the browser remembers of the page: its language and its colours.
const PORT = '4100';

const counter = command({
  name: 'counter',
  effect: 'reads',
  summary: 'Open a page on this machine for those who work on orders all day; Ctrl-C ends it',
  example: '--port 4101',
  details: `The address holds a token that only this terminal shows. The page does what your credentials may do, in your name.

`,
  options: { port: recordId.pipe(z.number().max(65_535)).prefault(PORT).meta({ title: 'port' }) },
  async run({ port }, call) {
    // Loaded late, since no other command needs the bundler and the server.
    const { openCounter } = await import('./server/server.ts');
    const operator = await call.operator();
    const place = describePlace(process.env)?.trim() ?? '';
    const opened = await openCounter({ port, operator, place, isLocal: call.isLocal }).catch((error) => {
      throw refuseTakenPort(error, port);
    });
    const { stdout, stderr, isJson } = call;
    (isJson ? stderr : stdout).write(`${opened.address}\nCtrl-C ends the counter.\n`);
    await interrupted();
    await opened.close();
    return { document: { port }, text: 'The counter has ended.\n' };
  },
});

const refuseTakenPort = (error: unknown, port: number): unknown =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    ? new CommandRefusal(`Port ${port} is in use, perhaps by another counter: --port takes another one.`)
    : error;

// npm forwards a Ctrl-C that this process has already received, so that the listener stays.
const interrupted = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });

export const counterCommands: readonly Command[] = [counter];
