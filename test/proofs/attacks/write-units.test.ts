import { beforeAll, describe, expect, it } from 'vitest';
import { orderBody } from '../../support/orders/samples.ts';
import { prove } from '../../support/proofs/proof.ts';
import { useServer } from '../../support/servers/test-server.ts';

// An order for a new patient of an ordinary name takes some 50.
const MOST_WRITE_UNITS = 120;

const server = useServer();
let tokens: { readonly employee: string; readonly doctor: string };
beforeAll(async () => {
  tokens = {
    employee: await server.login('aseguradora@demo.example'),
    doctor: await server.login('doctora@demo.example'),
  };
});

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
  { what: 'ideographs', names: namesFrom(0x4e00) },
  { what: 'ideographs of four bytes', names: namesFrom(0x20000) },
  { what: 'emoji', names: namesFrom(0x1f300) },
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

type Who = keyof typeof tokens;
async function place(who: Who, email: string, names: object) {
  const { user, ...body } = orderBody(email);
  const token = tokens[who];
  const answer = await server.request('POST', '/api/orders/resources/', {
    token,
    body: { ...body, user: { ...user, ...names } },
  });
  expect([answer.status, JSON.stringify(answer.body).slice(0, 300)]).toEqual([201, expect.any(String)]);
  const [, units] = /write units ([\d.]+)/.exec(String(answer.headers['server-timing'])) ?? [];
  return { id: answer.body.id, units: Number(units) };
}

describe('an order takes at most 120 write units', () => {
  it('whatever the names of its patient', async () => {
    const costs: { readonly what: string; readonly units: number }[] = [];
    for (const [index, { what, names }] of NAMES.entries()) {
      const email = `nombre-${index}@example.mx`;
      const other = { first_name: 'Luz', last_name: 'Mora', second_last_name: 'Gil' };
      const placed = [
        { how: 'new', ...(await place('employee', email, names)) },
        { how: 'the same again', ...(await place('employee', email, names)) },
        { how: 'another name before', ...(await place('employee', email, other)) },
        { how: 'a changed name', ...(await place('employee', email, names)) },
        { how: 'of a doctor', ...(await place('doctor', `nueva-${index}@example.mx`, names)) },
        { how: "of a doctor, on another's e-mail", ...(await place('doctor', 'luz@example.mx', names)) },
      ];
      costs.push(...placed.map(({ how, units }) => ({ what: `${what}, ${how}`, units })));
    }
    const dear = costs.filter(({ units }) => !(units > 0 && units <= MOST_WRITE_UNITS));
    expect(dear).toEqual([]);
    const most = Math.max(...costs.map(({ units }) => units));
    prove({
      check: 'attack 5: names that cost write units',
      tries: costs.length,
      lost: dear.length,
      figure: `${most} units`,
    });
  });
});
