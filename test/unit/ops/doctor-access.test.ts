import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { readAccess } from '../../../infra/ops/doctor/api.ts';

const EMAIL = 'ana@sol.example';

function io(typed: string) {
  const shown: string[] = [];
  const stderr = { write: (text: string) => shown.push(text) };
  const setRawMode = vi.fn();
  const stdin = Object.assign(new PassThrough().end(typed), { isTTY: true, setRawMode });
  return { io: { stdout: stderr, stderr, stdin, isTerminal: false }, shown, setRawMode };
}

beforeEach(() => {
  vi.stubEnv('DOCTOR_API_KEY', undefined);
  vi.stubEnv('DOCTOR_PASSWORD', undefined);
});

describe('the key and the user of doctor', () => {
  it('are nobody unless they are asked for, and stdin is left alone', async () => {
    const { io: streams, shown } = io('a line\n');
    expect(await readAccess({ key: false }, streams)).toEqual({});
    expect([streams.stdin.readableEnded, shown]).toEqual([false, []]);
  });

  type Row = [string, Parameters<typeof readAccess>[0], string, NodeJS.ProcessEnv, string, string | undefined];
  it.each<Row>([
    ['lines of stdin', { key: true, email: EMAIL }, 'the-key\nthe password\r\n', {}, 'the-key', 'the password'],
    ['one line of stdin', { key: true }, 'the-key', {}, 'the-key', undefined],
    ['of the environment', { key: false }, '', { DOCTOR_API_KEY: 'the-key' }, 'the-key', undefined],
    ['of both', { key: true, email: EMAIL }, 'the password\n', { DOCTOR_API_KEY: 'a-key' }, 'a-key', 'the password'],
    ['only of it', { key: true, email: EMAIL }, '', { DOCTOR_API_KEY: 'k', DOCTOR_PASSWORD: 'p' }, 'k', 'p'],
  ])('are %s', async (_, asked, typed, environment, key, password) => {
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    expect(await readAccess(asked, io(typed).io)).toEqual({ key, email: asked.email, password });
  });

  it('are asked for without an echo, also where stderr goes elsewhere', async () => {
    const { io: streams, shown, setRawMode } = io('the-key\nthe password\n');
    await readAccess({ key: true, email: EMAIL }, streams);
    expect(shown.join('')).toBe('API key: \nPassword of ana@sol.example: \n');
    expect(setRawMode.mock.calls).toEqual([[true], [false]]);
  });

  it.each(['', 'the-key', 'the-key\n', '\nthe password\n'])('are refused when a line is missing: %j', async (typed) => {
    await expect(readAccess({ key: true, email: EMAIL }, io(typed).io)).rejects.toThrow('Nothing was typed.');
  });
});
