import fc from 'fast-check';
import { type ParsedMail, simpleParser } from 'mailparser';
import { expect } from 'vitest';
import type { MailSender } from '../../../shared/runtime/config.ts';

// Pieces with a meaning in headers, HTML, XML, formulas, queries or paths.
const PIECES = [
  ...['\r\n', '\n', '\r', '\r\n\r\n', '\u2028', '\u2029', '\u0085', '\v\f', '\0', '\t', '%0d%0a'],
  ...['Bcc: evil@evil.example', 'To: evil@evil.example', 'X-Evil: 1', 'Content-Type: text/html'],
  ...['evil@evil.example', ', evil@evil.example', '; evil@evil.example', '"Ana" <evil@evil.example>'],
  ...['<evil@evil.example>', 'group: evil@evil.example;', '=?utf-8?B?DQpCY2M6IGV2aWxAZXZpbC5leGFtcGxl?='],
  ...['=?utf-8?Q?=0D=0ABcc:_evil@evil.example?=', '=?iso-8859-1?Q?a?=', '--boundary', '"', '\\', '(', ')', '.'],
  ...[' ', '\u202e', '\u200b', '\ud800', '😀', 'Muñoz', '<script>alert(1)</script>'],
  ...['"><img src=x onerror=alert(1)>', "' onmouseover='alert(1)", '&lt;b&gt;', '<b>', '</td></tr></table>'],
  ...['<!--', '-->', ']]>', '<![CDATA[', '<!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]>', '&y;'],
  ...['&#13;&#10;', '"/><cfdi:Emisor Rfc="X"/>', '|', '||1.1|', "=cmd|'/C calc'!A0", '@SUM(1+1)', '+1', '-1'],
  ...["'; DROP TABLE orders; --", '$' + '{7*7}', '{{7*7}}', '../../etc/passwd', '%00', 'USER#1#1', '\u0301'],
  ...['e\u0301', '\ufeff', '\u2066'],
];
/** Generates texts that attempt an injection into headers, mails, pages, spreadsheets or logs. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...PIECES) }, fc.string({ unit: 'binary', maxLength: 6 })), {
    minLength: 1,
    maxLength: 8,
  })
  .map((pieces) => pieces.join(''));

const HEADERS = [
  'auto-submitted',
  'content-language',
  'content-type',
  'date',
  'from',
  'message-id',
  'mime-version',
  'subject',
  'to',
];

/** All tags of the HTML body in order; hostile texts must not add another. */
const TAGS = [
  '!doctype html head meta meta meta meta style /style title /title /head',
  'body table tr td ! table tr td ! table',
  'tr td /td /tr tr td p /p p strong /strong strong /strong /p table',
  'tr td /td td /td /tr tr td /td td /td /tr tr td /td td /td /tr /table',
  'p /p p br /p p /p /td /tr /table ! /td /tr /table ! /td /tr /table /body /html',
].join(' ');

/** Expects a mail to have only its own headers, tags and attachments and one receiver. Returns the parsed mail. */
export async function expectHarmlessMail(
  raw: Uint8Array,
  { from, to }: { readonly from: MailSender; readonly to: string },
): Promise<ParsedMail> {
  expectPlainHeader(raw);
  const parsed = await simpleParser(Buffer.from(raw));
  expect(parsed.headerLines.map(({ key }) => key).toSorted()).toEqual(HEADERS);
  expect(parsed.to?.value).toEqual([{ name: '', address: to }]);
  expect(parsed.from?.value).toEqual([from]);
  expect(parsed.subject).not.toMatch(/[\r\n]/);
  expect(parsed.attachments.map(({ filename }) => filename)).toEqual([
    expect.stringMatching(/^[\w-]*\.pdf$/),
    expect.stringMatching(/^[\w-]*\.xml$/),
  ]);
  const tags = String(parsed.html).matchAll(/<([!/]?[a-z]*)/gi);
  expect([...tags].map(([, tag]) => tag).join(' ')).toBe(TAGS);
  return parsed;
}

/** Expects every header line to be printable ASCII of at most 998 characters, as RFC 5322 requires. */
function expectPlainHeader(raw: Uint8Array): void {
  const header = Buffer.from(raw).toString('latin1').split('\r\n\r\n')[0] ?? '';
  for (const line of header.split('\r\n')) expect(line).toMatch(/^[\t\x20-\x7e]{1,998}$/);
}
