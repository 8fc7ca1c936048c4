import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { readAccess } from '../../../infra/ops/doctor/api.ts';
import { isDesk } from '../../../infra/ops/target.ts';
import { adviseInvoice, explainReason } from '../../../shared/invoices/rules/invoice-advice.ts';

// What commands ask of an operator, whom they take for one, and what they advise.

const EMAIL = 'ana@sol.example';

function io(typed: string) {
  const shown: string[] = [];
  const stderr = { write: (text: string) => shown.push(text) };
  const setRawMode = vi.fn();
  const stdin = Object.assign(new PassThrough().end(typed), { isTTY: true, setRawMode });
  return { io: { stdout: stderr, stderr, stdin, isTerminal: false }, shown, setRawMode };
}

describe('the key and the user of doctor', () => {
  it('are nobody unless they are asked for, and stdin is left alone', async () => {
    const { io: streams, shown } = io('a line\n');
    expect(await readAccess({ key: false }, streams)).toEqual({});
    expect([streams.stdin.readableEnded, shown]).toEqual([false, []]);
  });

  type Row = [string, Parameters<typeof readAccess>[0], string, NodeJS.ProcessEnv, string, string | undefined];
  it.each<Row>([
    ['lines of stdin', { key: true, email: EMAIL }, 'the-key\nthe password\r\n', {}, 'the-key', 'the password'],
    ['of the environment', { key: false }, '', { DOCTOR_API_KEY: 'the-key' }, 'the-key', undefined],
    ['of both', { key: true, email: EMAIL }, 'the password\n', { DOCTOR_API_KEY: 'a-key' }, 'a-key', 'the password'],
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

it.each([
  [true, { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000' }],
  [true, { AWS_ENDPOINT_URL_DYNAMODB: 'http://localhost:8000' }],
  [true, { AWS_ENDPOINT_URL_DYNAMODB: 'http://[::1]:8000' }],
  [false, { AWS_ENDPOINT_URL_DYNAMODB: 'https://vpce-0a1b.dynamodb.us-east-1.vpce.amazonaws.com' }],
  [false, { AWS_ENDPOINT_URL_DYNAMODB: 'https://127.0.0.1.example.com' }],
  [false, { AWS_ENDPOINT_URL_DYNAMODB: 'no address' }],
  [false, { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000', AWS_ENDPOINT_URL_STS: 'http://127.0.0.1:8001' }],
  [false, {}],
])('whether the operator is the user of the system, and not whom AWS names, is %s with %j', (isUser, env) => {
  expect(isDesk(env)).toBe(isUser);
});

describe('the advice on an invoice', () => {
  it.each([
    ['mail_due', ['resend']],
    ['requested', []],
    ['retrying', ['issue']],
    ['cancelling', []],
    ['awaiting_payment', ['resend']],
    ['issued', ['resend']],
    ['refused', ['issue']],
    ['cancelled', []],
  ] as const)('of %s names the commands %j', (status, commands) => {
    expect(adviseInvoice(status, [])).toMatchObject([{ status, commands }]);
  });

  it('is on the open actions where there are some, whatever the status is', () => {
    const advised = adviseInvoice('retrying', ['pue_unpaid', 'mail_given_up']);
    expect(advised.map(({ status }) => status)).toEqual(['pue_unpaid', 'mail_given_up']);
  });

  it('explains a reason, which is its code where nobody has written words for it', () => {
    expect(explainReason('rejected')?.es).toBe('El receptor rechazó la cancelación.');
    expect(explainReason('a_new_code')).toEqual({ es: 'a_new_code', en: 'a_new_code' });
    expect(explainReason(null)).toBe(null);
  });
});
