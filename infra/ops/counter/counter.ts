import * as z from 'zod';
import { type Call, type Command, CommandRefusal, command } from '../command.ts';
import { recordId } from '../input.ts';
import { describePlace } from '../target/place.ts';
import { errorCode } from '../terminal/print.ts';

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
    try {
      await announce(opened.address, call);
      await interrupted();
    } finally {
      await opened.close();
    }
    return { document: { port }, text: 'The counter has ended.\n' };
  },
});

const refuseTakenPort = (error: unknown, port: number): unknown =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    ? new CommandRefusal(`Port ${port} is in use, perhaps by another counter: --port takes another one.`)
    : error;

/** Throws a CommandRefusal if nobody could read the address, whose token is shown only here. */
async function announce(address: string, { stdout, stderr, isJson }: Call): Promise<void> {
  try {
    await (isJson ? stderr : stdout).write(`${address}\nCtrl-C ends the counter.\n`);
  } catch (error) {
    throw new CommandRefusal(`The address of the counter could not be printed (${errorCode(error)}): it has ended.`);
  }
}

// npm forwards a Ctrl-C that this process has already received, so that the listener stays.
const interrupted = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });

export const counterCommands: readonly Command[] = [counter];
