import fc from 'fast-check';

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
