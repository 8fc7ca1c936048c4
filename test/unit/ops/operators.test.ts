import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readAccess } from '../../../infra/ops/doctor/api.ts';
import { toCsv, writeCsv } from '../../../infra/ops/files.ts';
import { instant } from '../../../infra/ops/input.ts';
import { documentText } from '../../../infra/ops/output.ts';
import { isOnThisMachine } from '../../../infra/ops/target.ts';
import { adviseInvoice } from '../../../shared/invoices/rules/invoice-advice.ts';
import { setClock } from '../../../shared/runtime/clock.ts';

// Commands question an operator, know who it is, advise, print documents, and write CSV.

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
  ['90m', '2026-11-23T16:30:00.000Z'],
  ['6h', '2026-11-23T12:00:00.000Z'],
  ['3d', '2026-11-20T18:00:00.000Z'],
  ['2026-11-23T12:00:00-06:00', '2026-11-23T18:00:00.000Z'],
])('the time %s is %s', (written, expected) => {
  onTestFinished(() => setClock());
  setClock(new Date('2026-11-23T18:00:00Z'));
  expect(instant.parse(written).toISOString()).toBe(expected);
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
  expect(isOnThisMachine(env)).toBe(isUser);
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
});

describe('a document', () => {
  const lines = [
    { product: 4, lot: null, is_antibiotic: false, parts: [{ of: 1 }, { of: 2 }] },
    { product: 15, lot: 'B\u001b1', is_antibiotic: false, parts: [] },
  ];
  const facts = { id: 2, note: null, is_due: true, is_late: false, tags: ['frio', 'caro'], none: [] };
  const place = { street: 'Durango', floor: '', zipcode: '06700' };

  it('is a line for each fact, and its lists as tables without empty columns, for a person', () => {
    expect(documentText({ ...facts, place, lines }, { isTTY: true, write: () => true })).toBe(
      `id                      2
is_due                  yes
tags                    frio, caro
place                   street Durango, zipcode 06700

lines
product  lot  parts
4             of 1; of 2
15       B 1
`,
    );
  });

  it('has all columns in a pipe, and the chosen ones alone where a list has some', () => {
    const pipe = { write: () => true };
    expect(documentText({ lines }, pipe)).toBe('4\t\t\tof 1; of 2\n15\tB 1\t\t\n');
    expect(documentText({ ...facts, lines }, pipe, ['lot', 'product'])).toBe('\t4\nB 1\t15\n');
    expect(documentText({ lines: [] }, pipe)).toBe('');
  });
});

it('CSV has a line for each row, which ends as RFC 4180 says, and leaves a negative number as it is', () => {
  const rows = [['Fecha', 'Cantidad'], ['2026-11-23', 2], [-12.5, '-1193.00'], []];
  expect(toCsv(rows)).toBe('Fecha,Cantidad\r\n2026-11-23,2\r\n-12.5,-1193.00\r\n\r\n');
});

it.each([
  ['Caja, 20', '"Caja, 20"'],
  ['Gel "50"', '"Gel ""50"""'],
  ['dos\nlíneas', '"dos\nlíneas"'],
  ['dos\rlíneas', '"dos\rlíneas"'],
  ["Dra. O'Hara; Roma-Sur = 8", "Dra. O'Hara; Roma-Sur = 8"],
  ['', ''],
  // No text becomes a formula, whatever stands before its sign, and however a program parts the cells.
  ['=HYPERLINK("http://x.example";"ver")', `"'=HYPERLINK(""http://x.example"";""ver"")"`],
  ['+52', "'+52"],
  ['-1.00+1', "'-1.00+1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t'=1"],
  ['\r=1', `"'\r'=1"`],
  ['\0a', "'\0a"],
  ['Ana; -1; b', "Ana;' -1; b"],
  ['Ana\t@SUM(A1)', "Ana\t'@SUM(A1)"],
  ['Ana\r\n+1', `"Ana\r\n'+1"`],
  ['Ana,"@SUM(A1)', `"Ana,'""@SUM(A1)"`],
  ['Ana;"＝1', `"Ana;'""＝1"`],
  ['＝1+1', "'＝1+1"],
  ['Ana;＋1', "Ana;'＋1"],
])('CSV quotes a text if it has to, and makes no formula of it: %j', (text, cell) => {
  expect(toCsv([[text]])).toBe(`${cell}\r\n`);
});

it('CSV is UTF-8 in a file, which begins so that Excel takes it for that', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'csv-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeCsv(join(folder, 'a.csv'), [[['Presentación']]]);
  expect(await readFile(join(folder, 'a.csv'), 'utf8')).toBe('\ufeffPresentación\r\n');
});
