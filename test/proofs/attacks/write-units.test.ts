import { describe, expect, it } from 'vitest';
import { orderBody } from '../../support/orders/samples.ts';
import { prove, someOf } from '../../support/proofs/proof.ts';
import { useDemoTokens, useServer } from '../../support/servers/test-server.ts';

// An order for a new patient of an ordinary name takes some 50.
const MOST_WRITE_UNITS = 120;

const server = useServer();
const tokens = useDemoTokens(server);

/** Letters of a script, all of them different, from one code point on. */
const lettersFrom = (first: number, count: number): string =>
  String.fromCodePoint(...Array.from({ length: count }, (_, index) => first + index));

/** Fills the three names to their bounds with letters from one code point on. */
const namesFrom = (first: number) => ({
  first_name: lettersFrom(first, 30),
  last_name: lettersFrom(first + 30, 100),
  second_last_name: lettersFrom(first + 130, 100),
});
const namesOf = (text: string) => ({
  first_name: [...text].slice(0, 30).join('').trim(),
  last_name: [...text].slice(0, 100).join('').trim(),
  second_last_name: [...text].slice(0, 100).reverse().join('').trim(),
});

/** Names that are as long as their fields allow. */
const NAMES: readonly { what: string; names: Record<string, string> }[] = [
  { what: 'Hangul', names: namesFrom(0xac00) },
  { what: 'ideographs of four bytes', names: namesFrom(0x20000) },
  { what: 'ligatures', names: namesOf('\ufdfa\ufb03'.repeat(50)) },
  { what: 'Latin letters without a blank', names: namesOf('abcdefghijklmnopqrstuvwxyz'.repeat(4)) },
  { what: 'letters with marks', names: namesOf('e\u0301\u0323\u0300x'.repeat(25)) },
  {
    what: 'as many ends of words as are indexed',
    names: {
      first_name: 'Ana',
      last_name: 'abcdefghijklm '.repeat(7).trim(),
      second_last_name: 'nopqrstuvwxyz0123456789 zyxwvutsrqponmlkjihgfedcba',
    },
  },
  {
    what: 'words of a letter',
    names: namesOf('a b c d e f g h i j k l m n o p q r s t u v w x y z '.repeat(2)),
  },
];

describe('an order takes at most 120 write units', () => {
  it.each(someOf(NAMES, 0, 4))('whatever the names of its patient: $what', async ({ what, names }) => {
    const place = async (who: keyof typeof tokens, email: string, more: object) => {
      const { user, ...body } = orderBody(email);
      const call = { token: tokens[who], body: { ...body, user: { ...user, ...more } } };
      const { status, headers } = await server.request('POST', '/api/orders/resources/', call);
      expect(status).toBe(201);
      return Number(/write units ([\d.]+)/.exec(String(headers['server-timing']))?.[1]);
    };
    const email = `${what.replaceAll(' ', '-')}@example.mx`.toLowerCase();
    const other = { first_name: 'Luz', last_name: 'Mora', second_last_name: 'Gil' };
    const units = [
      await place('employee', email, names),
      await place('employee', email, other),
      await place('employee', email, names),
      await place('doctor', `nueva-${email}`, names),
      await place('doctor', `nueva-${email}`, other),
    ];
    const dear = units.filter((each) => !(each > 0 && each <= MOST_WRITE_UNITS));
    const figure = `${Math.max(...units)} units`;
    prove({ check: `attack 5: names that cost write units: ${what}`, tries: units.length, lost: dear.length, figure });
  });
});
