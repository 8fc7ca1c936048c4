import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { freePorts } from '../support/engines/ports.ts';
import { operate } from '../support/operators/operator.ts';

type Started = ChildProcessByStdio<null, Readable, Readable>;
const started: Started[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

function start(...options: readonly string[]): Started {
  const child = spawn(process.execPath, ['infra/ops/cli.ts', 'counter', '--local', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  return child;
}

const freePort = async (): Promise<string> => String((await freePorts()).PORT);

describe('the command counter', () => {
  it('prints the address with its token, serves there, and ends at Ctrl-C', async () => {
    const port = await freePort();
    const child = start('--port', port);
    const [chunk] = await once(child.stdout, 'data');
    const [address = '', advice] = String(chunk).split('\n');
    expect(address).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/#[\\w-]{43}$`));
    expect(advice).toBe('Ctrl-C ends the counter.');
    const headers = { Authorization: `Bearer ${new URL(address).hash.slice(1)}` };
    const session = await fetch(new URL('/session', address), { headers });
    expect(await session.json()).toMatchObject({
      place: expect.stringContaining('Local: '),
      timeZone: 'America/Mexico_City',
    });

    const second = start('--port', port);
    const [[code], err] = await Promise.all([once(second, 'exit'), text(second.stderr)]);
    expect([code, err]).toEqual([1, `Port ${port} is in use, perhaps by another counter: --port takes another one.\n`]);

    child.kill('SIGINT');
    const [[ended], rest] = await Promise.all([once(child, 'exit'), text(child.stdout)]);
    expect([ended, rest]).toEqual([0, 'The counter has ended.\n']);
  });

  it('takes another port at each start, so that two counters stand side by side', async () => {
    const chunks = await Promise.all([start(), start()].map(({ stdout }) => once(stdout, 'data')));
    const ports = chunks.map(([chunk]) => new URL(String(chunk).split('\n')[0] ?? '').port);
    expect(new Set(ports).size).toBe(2);
  });

  it.each(['0', '65536', 'x'])('refuses the port %s', async (port) => {
    const { code, out, err } = await operate('pipe', 'counter', '--port', port);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('--port: ');
  });
});
