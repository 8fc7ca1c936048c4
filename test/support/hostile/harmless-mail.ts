import { type ParsedMail, simpleParser } from 'mailparser';
import { expect } from 'vitest';
import type { MailSender } from '../../../shared/runtime/config.ts';

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
