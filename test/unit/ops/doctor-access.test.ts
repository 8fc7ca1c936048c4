import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readAccess } from '../../../infra/ops/doctor/api.ts';

const io = (typed: string, place: 'terminal' | 'pipe' = 'pipe') => {
  const shown: string[] = [];
  const stderr = { write: (text: string) => shown.push(text) };
  const isTerminal = place === 'terminal';
  const setRawMode = vi.fn();
  const stdin = isTerminal
    ? Object.assign(new PassThrough().end(typed), { isTTY: true, setRawMode })
    : Readable.from([typed]);
  return { io: { stdout: stderr, stderr, stdin, isTerminal }, shown, setRawMode };
};

beforeEach(() => {
  vi.stubEnv('DOCTOR_API_KEY', undefined);
  vi.stubEnv('DOCTOR_PASSWORD', undefined);
});
afterEach(() => vi.unstubAllEnvs());

describe('the key and the user of doctor', () => {
  it('are nobody unless they are asked for, and stdin is left alone', async () => {
    const { io: streams } = io('a line\n');
    expect(await readAccess({ key: false }, streams)).toEqual({});
    expect(streams.stdin.readableEnded).toBe(false);
  });

  it('are lines of stdin', async () => {
    expect(await readAccess({ key: true, email: 'ana@sol.example' }, io('the-key\nthe password\r\n').io)).toEqual({
      key: 'the-key',
      email: 'ana@sol.example',
      password: 'the password',
    });
    expect(await readAccess({ key: true }, io('the-key').io)).toEqual({ key: 'the-key' });
  });

  it('are in the environment, for a program', async () => {
    vi.stubEnv('DOCTOR_API_KEY', 'the-key');
    expect(await readAccess({ key: false }, io('').io)).toEqual({ key: 'the-key' });
    expect(await readAccess({ key: true, email: 'ana@sol.example' }, io('the password\n').io)).toMatchObject({
      key: 'the-key',
      password: 'the password',
    });
    vi.stubEnv('DOCTOR_PASSWORD', 'another');
    expect(await readAccess({ key: true, email: 'ana@sol.example' }, io('').io)).toMatchObject({ password: 'another' });
  });

  it('are asked for at a terminal without its echo also where stderr goes elsewhere', async () => {
    const { io: streams, shown, setRawMode } = io('the-key\nthe password\n', 'terminal');
    const asked = readAccess({ key: true, email: 'ana@sol.example' }, { ...streams, isTerminal: false });
    expect(await asked).toMatchObject({ key: 'the-key', password: 'the password' });
    expect(shown.join('')).toBe('API key: \nPassword of ana@sol.example: \n');
    expect(setRawMode.mock.calls).toEqual([[true], [false]]);
  });

  it.each(['', 'the-key', 'the-key\n'])('are refused when a line is missing: %j', async (typed) => {
    await expect(readAccess({ key: true, email: 'ana@sol.example' }, io(typed).io)).rejects.toThrow(
      'A line is missing on stdin: API key, Password of ana@sol.example.',
    );
  });
});
