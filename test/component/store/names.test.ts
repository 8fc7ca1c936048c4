import { describe, expect, it } from 'vitest';
import { foldText } from '../../../shared/domain/text.ts';
import { removePerson } from '../../../shared/erasure/patient-records.ts';
import { readOrderPage } from '../../../shared/order/lists/order-page.ts';
import { findPatients, indexName, nameItems, packName, removeNames } from '../../../shared/people/name-index.ts';
import { changeUser } from '../../../shared/people/patients.ts';
import { createUser, newUser, type UserRecord } from '../../../shared/people/users.ts';
import { Ids } from '../../../shared/store/ids.ts';
import type { Item } from '../../../shared/store/table.ts';
import {
  clientId,
  idsIn,
  listed,
  placed,
  selection,
  table,
  useOrderTable,
  withReads,
} from '../../support/orders/order-table.ts';

useOrderTable();

const NAMES = 100_000;
const LONG_WORD = 'abcdefghijklmnopqrstuvwxyzabcdefghijklmn';

/** Contains the names of patients 11 to 20, who have one order each: 1 to 10. */
const PATIENTS: readonly (readonly [first: string, last: string, second: string | null])[] = [
  ['José', 'Núñez', 'de la Peña'],
  ['María José', 'Güemes', null],
  ['Zoë', "O'Neill", ''],
  ['Li', 'Wu', null],
  [LONG_WORD, 'Paz', null],
  [`${LONG_WORD.slice(0, 34)}zzz`, 'Paz', null],
  ['李小龙王', 'Дмитрий', 'محمود'],
  ['😀🎈😀🎈', 'Ana-Sofía', null],
  ['Ja'.repeat(15), 'ja'.repeat(15), 'a'.repeat(30)],
  ['Ana', 'Anaya', 'Santa Ana'],
];
const fullNames = PATIENTS.map((name) => foldText(name.filter(Boolean).join(' ')));

let written: Promise<void> | undefined;
/** Writes the ten orders at the first call; all tests only read them. */
function registered(): Promise<void> {
  written ??= (async () => {
    for (const [index, [firstName, lastName, secondLastName]] of PATIENTS.entries()) {
      const patient = { id: 11 + index, firstName, lastName, secondLastName };
      await listed({ id: 1 + index, clientId: NAMES, patient });
    }
  })();
  return written;
}

/** Lists the orders that a search for this text finds, the first ones first. */
async function search(text: string, client = NAMES, from = table): Promise<number[]> {
  const asked = { clientId: client, nameWords: foldText(text).split(' ') };
  const { count, orders } = await readOrderPage(
    from,
    selection({ ...asked, ordering: [{ field: 'createdAt', isDescending: false }] }),
  );
  expect(orders).toHaveLength(count);
  return idsIn(orders);
}

/** Reads every item of the name index of a client. */
async function indexOf(client: number): Promise<Item[]> {
  const ofClient = { filter: 'begins_with(pk, :index)', values: { ':index': `NAME#${client}#` } };
  const pages = table.scan({ ...ofClient, pageSize: 1_000, segment: 0, segments: 1 });
  return (await Array.fromAsync(pages)).flat();
}

describe('a search by name', () => {
  it.each([
    ['José', [1, 2]],
    ['  jose   nunez ', [1]],
    ['jose neill', []],
    // Words of one and two letters are not indexed.
    ['de', [1, 5, 6]],
    ['li wu', [4]],
    ['wu jose', []],
    ["O'Neill", [3]],
    ["o'n", [3]],
    ['oneill', []],
    // A word does not go over the end of another one.
    ['josenunez', []],
    [LONG_WORD, [5]],
    [LONG_WORD.slice(0, 34), [5, 6]],
    [LONG_WORD.slice(0, 35), [5]],
    [LONG_WORD.slice(3), [5]],
    [`${LONG_WORD.slice(0, 34)}zzz`, [6]],
    [`${LONG_WORD}x`, []],
    ['李小龙王', [7]],
    ['🎈🎈🎈', []],
    ['ja'.repeat(16), []],
    ['ana', [8, 10]],
  ] as const)('for %j finds %j', async (text, ids) => {
    await registered();
    expect(await search(text)).toEqual(ids);
  });

  it('finds what a plain comparison of every name finds, for every part of every name', async () => {
    await registered();
    const parts = fullNames
      .flatMap((full) => full.split(' '))
      .map((name) => [...name])
      .flatMap((letters) =>
        [2, 3, 4].flatMap((length) =>
          [0, 1, Math.max(0, letters.length - length)].map((start) => letters.slice(start, start + length).join('')),
        ),
      );
    for (const part of new Set(parts.filter((one) => one !== ''))) {
      const plain = fullNames.flatMap((full, index) => (full.includes(part) ? [index + 1] : []));
      expect([part, await search(part)]).toEqual([part, plain]);
    }
  });

  it.each([
    [['jose'], [11, 12]],
    [['nunez', 'la'], [11]],
    [['nobody'], []],
    // No word has three letters.
    [['la', 'de'], undefined],
    [['😀🎈'], undefined],
  ])('by %j leads to the patients %j', async (words, patients) => {
    await registered();
    expect((await findPatients(table, NAMES, words))?.sort((a, b) => a - b)).toEqual(patients);
  });

  it('reads the names of each word, and then the orders of the patients found', async () => {
    await registered();
    const { table: told, reads } = withReads();
    expect(await search('jose nunez', NAMES, told)).toEqual([1]);
    // Three queries for two names, for one and for the long ones, and one for the order.
    expect(reads).toEqual({ pages: 4, items: 2 + 1 + 0 + 1, batches: 1, keys: 1 });
  });

  it('asks for eight words at most', async () => {
    await registered();
    const words = ['jose', 'nunez', 'uno', 'dos', 'tres', 'cuatro', 'cinco', 'seis', 'siete', 'ocho'];
    const { table: told, reads } = withReads();
    expect(await findPatients(told, NAMES, words)).toEqual([]);
    expect(reads.pages).toBe(8 + 1);
  });

  it('finds nothing of another client', async () => {
    await registered();
    expect(await search('jose', NAMES + 1)).toEqual([]);
  });
});

describe('a search for a common name', () => {
  const CROWD = 100_002;
  let patients = 0;
  /** Adds patients 1,000 and so on, who are called Eva and their number, until there are this many. */
  async function crowd(wanted: number): Promise<void> {
    const added = Array.from({ length: wanted - patients }, (_, index) => patients + index);
    patients = wanted;
    await table.putAll(
      added.flatMap((id) =>
        nameItems({ clientId: CROWD, id: 1_000 + id, name: `eva x${String(id).padStart(3, '0')}` }),
      ),
    );
  }
  const find = (...words: string[]) => findPatients(table, CROWD, words);

  it('leads to 100 patients, and not to more', async () => {
    await crowd(100);
    expect(await find('eva')).toHaveLength(100);
    await crowd(101);
    expect(await find('eva')).toBeUndefined();
    expect(await find('eva', 'x007')).toEqual([1_007]);
    expect(await find('eva', 'x1')).toEqual([1_100]);
  });

  it('is narrowed by another word, as long as 400 names have one of them at most', async () => {
    await crowd(400);
    // Two letters are looked for in the 400 names.
    expect(await find('eva', '12')).toEqual([
      1_012, 1_112, 1_120, 1_121, 1_122, 1_123, 1_124, 1_125, 1_126, 1_127, 1_128, 1_129, 1_212, 1_312,
    ]);
    await crowd(401);
    expect(await find('eva', '12')).toBeUndefined();
    expect(await find('eva', 'x012')).toEqual([1_012]);
  });

  it('goes through the orders, and finds the same', async () => {
    await crowd(401);
    const named = (id: number, firstName: string, lastName: string) =>
      listed({ id, clientId: CROWD, patient: { id: 2_000 + id, firstName, lastName } });
    await named(1, 'Eva', 'Vega');
    await named(2, 'Eva', 'Lara');
    await named(3, 'Luz', 'Lara');
    expect(await find('eva')).toBeUndefined();
    expect(await search('eva', CROWD)).toEqual([1, 2]);
    expect(await search('eva ara', CROWD)).toEqual([2]);
    expect(await search('eva la', CROWD)).toEqual([2]);
  });
});

/** Letters of a script, all of them different, from one code point on. */
const lettersFrom = (first: number, count: number): string =>
  String.fromCodePoint(...Array.from({ length: count }, (_, index) => first + index));

/** Contains names as long as the fields of a person take, none of which is spelled as any other. */
const LONG_NAMES: readonly (readonly [what: string, name: string])[] = [
  ['ideographs', lettersFrom(0x4e00, 230)],
  ['ideographs of four bytes', lettersFrom(0x20000, 230)],
  ['all of these', `${lettersFrom(0xad00, 60)} ${lettersFrom(0x4f00, 60)} ${lettersFrom(0x1f400, 60)} José Núñez`],
  ['letters with marks', `${'e\u0301\u0323'.repeat(70)}xylo`],
  ['ligatures', '\ufdfa\ufb03'.repeat(115)],
  ['Latin', `${'Abcdefghijklmnopqrstuvwxyz'.repeat(8)} Plantapaterno`],
  [
    'short words',
    'Tomas Maria Lucia Elena Pablo Diego Ruben Oscar Jaime Ramon Celia Clara Dario Felix Gomez Hugos '.repeat(2),
  ],
  ['words of a letter', 'a b c d e f g h i j k l m n o p q r s t u v w x y z '.repeat(4)],
];

describe('a long name', () => {
  const LONG = 100_003;
  let writtenLong: Promise<void> | undefined;
  function registeredLong(): Promise<void> {
    writtenLong ??= (async () => {
      for (const [index, [, lastName]] of LONG_NAMES.entries()) {
        await listed({ id: 1 + index, clientId: LONG, patient: { id: 11 + index, firstName: 'Wu', lastName } });
      }
    })();
    return writtenLong;
  }
  const folded = LONG_NAMES.map(([, name]) => foldText(`Wu ${name}`));

  it.each(LONG_NAMES)('of %s has few items, each of one write unit or two', (_, lastName) => {
    const name = packName({ firstName: 'Wu', lastName, secondLastName: null });
    const items = nameItems({ clientId: LONG, id: 123_456_789_012, name });
    const units = items.map((item) => Math.ceil(Buffer.byteLength(Object.entries(item).flat().join('')) / 1_024));
    expect(items.length).toBeLessThanOrEqual(1 + 64);
    expect(units.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(1 + 64);
  });

  it.each(LONG_NAMES.map(([what], index) => [what, index] as const))('of %s is found by any part', async (_, index) => {
    await registeredLong();
    const letters = [...(folded[index] ?? '')];
    const starts = [0, 3, 31, 32, 33, 100, letters.length - 40, letters.length - 3];
    const parts = starts.flatMap((start) =>
      [1, 3, 36].map((length) => letters.slice(Math.max(0, start), Math.max(0, start) + length).join('')),
    );
    for (const part of new Set(parts.map((one) => one.trim()).filter((one) => one !== ''))) {
      const words = part.split(' ');
      const plain = folded.flatMap((full, each) => (words.every((word) => full.includes(word)) ? [each + 1] : []));
      expect([part, await search(part, LONG)]).toEqual([part, plain]);
    }
  });

  it('leads to its patient alone, beside short ones of the same word', async () => {
    const paterno = `${'ab'.repeat(100)} Paterno`;
    await listed({ id: 1, patient: { id: 10, firstName: 'Ana', lastName: paterno } });
    await listed({ id: 2, patient: { id: 11, firstName: 'Ana', lastName: 'Paterno' } });
    await listed({ id: 3, patient: { id: 12, firstName: 'Eva', lastName: 'x'.repeat(100) } });
    expect((await findPatients(table, clientId, ['paterno']))?.sort()).toEqual([10, 11]);
    expect(await findPatients(table, clientId, ['paterno', 'abab'])).toEqual([10]);
    expect(await search('ana paterno', clientId)).toEqual([1, 2]);
    await removeNames(table, { clientId, id: 10 });
    expect(await findPatients(table, clientId, ['paterno'])).toEqual([11]);
  });

  it('goes through the orders, and finds the same, once a client has more than 400', async () => {
    const CROWDED = 100_004;
    await table.putAll(
      Array.from({ length: 401 }, (_, id) =>
        nameItems({ clientId: CROWDED, id, name: `${'q'.repeat(70)}${lettersFrom(0x4e00 + id, 70)}` }),
      ).flat(),
    );
    await listed({ id: 1, clientId: CROWDED, patient: { id: 1_000, firstName: 'Ana', lastName: 'Paz' } });
    expect(await findPatients(table, CROWDED, ['paz'])).toBeUndefined();
    expect(await search('paz', CROWDED)).toEqual([1]);
  });
});

describe('the index of names', () => {
  it('does no harm with an item of nobody, or of another name', async () => {
    await listed({ id: 1, patient: { id: 10, firstName: 'Ana', lastName: 'Paz' } });
    await table.putAll(nameItems({ clientId, id: 77, name: 'ana paz' }));
    await table.putAll(nameItems({ clientId, id: 10, name: 'ana luz' }));
    expect(await search('ana', clientId)).toEqual([1]);
    expect(await search('paz', clientId)).toEqual([1]);
    expect(await search('luz', clientId)).toEqual([]);
  });

  it('finds the orders of each name of a patient by that name', async () => {
    await listed({ id: 1, patient: { id: 10, firstName: 'Ana', lastName: 'Paz' } });
    await listed({ id: 2, patient: { id: 10, firstName: 'Ana', lastName: 'Luz' } });
    expect([await search('paz', clientId), await search('luz', clientId)]).toEqual([[1], [2]]);
    expect([await search('ana', clientId), await search('paz luz', clientId)]).toEqual([[1, 2], []]);
  });

  it('loses every name of one patient, and those of nobody else', async () => {
    const names = ['ana paz', 'ana luz', 'ja'.repeat(30), '李小龙王', 'wu'];
    for (const name of names) await table.putAll(nameItems({ clientId, id: 10, name }));
    await table.putAll(nameItems({ clientId, id: 11, name: 'ana paz' }));
    const ofOther = nameItems({ clientId, id: 11, name: 'ana paz' });
    expect((await indexOf(clientId)).length).toBeGreaterThan(ofOther.length + names.length);
    await removeNames(table, { clientId, id: 10 });
    const byKey = (a: Item, b: Item) => (`${a.pk} ${a.sk}` < `${b.pk} ${b.sk}` ? -1 : 1);
    expect((await indexOf(clientId)).sort(byKey)).toEqual(ofOther.sort(byKey));
    await removeNames(table, { clientId, id: 10 });
    expect(await indexOf(clientId)).toHaveLength(ofOther.length);
  });

  it('has no readable part of a name in a key', async () => {
    await table.putAll(nameItems({ clientId, id: 10, name: 'plantanombre plantapaterno 李小龙王' }));
    const keys = (await indexOf(clientId)).map(({ pk, sk }) => `${pk} ${sk}`);
    // Ends of 12, 13 and 4 letters: 10, 11 and 2 of them, and the record of the whole name; two names end alike.
    expect(keys.length).toBe(24);
    for (const key of keys) {
      expect(key).not.toMatch(/planta|nombre|paterno|[^\x21-\x7e ]/i);
      expect(key).toMatch(/^NAME#\d+#([\w-]{6} [\w-]{6,64}|PATIENT#10 NAME)#10#[\w-]{8}$/);
    }
  });

  it('has nobody who was refused, and has a patient before the first order', async () => {
    const ids = new Ids(table);
    const person = { email: 'ana@example.mx', firstName: 'Ana', lastName: 'Paz', secondLastName: null, phone: '' };
    const register = (role: 'patient' | 'doctor') =>
      createUser(table, ids, { ...person, clientId, role, passwordHash: null }, new Date());
    const { id } = await register('patient');
    const before = await indexOf(clientId);
    expect(await findPatients(table, clientId, ['ana'])).toEqual([id]);
    await expect(register('patient')).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(register('doctor')).rejects.toMatchObject({ code: 'invalid_input' });
    expect(await indexOf(clientId)).toEqual(before);
    await placed({ id: 1, patient: { id, firstName: 'Ana', lastName: 'Paz' } });
    expect(await search('paz', clientId)).toEqual([1]);
  });

  it('has no name that a patient got who was erased meanwhile, and keeps that of one who was changed meanwhile', async () => {
    const input = { clientId, role: 'patient', lastName: 'Paz', secondLastName: null, phone: '' } as const;
    const register = (firstName: string) =>
      createUser(table, new Ids(table), { ...input, firstName, email: firstName, passwordHash: null }, new Date());
    const rename = (before: UserRecord, firstName: string) => changeUser(table, before, { firstName }, new Date());
    const [erased, changed] = [await register('ana'), await register('eva')];
    await removePerson(table, erased);
    const refused = { code: 'move_not_allowed' };
    await expect(rename(erased, 'Olga')).rejects.toMatchObject(refused);
    await rename(changed, 'Inés');
    await expect(rename(changed, 'Nora')).rejects.toMatchObject(refused);
    const found = ['ana', 'olga', 'eva', 'ines'].map((word) => findPatients(table, clientId, [word]));
    expect(await Promise.all(found)).toEqual([[], [], [changed.id], [changed.id]]);
  });

  it('is written for a new patient and for a new name, and not for the same one', async () => {
    const input = { clientId, role: 'patient', email: '', phone: '', passwordHash: null } as const;
    const ana = newUser(10, { ...input, firstName: 'Ana', lastName: 'Paz', secondLastName: null }, '');
    const find = () => findPatients(table, clientId, ['paz']);
    await indexName(table, ana, { ...ana });
    expect(await find()).toEqual([]);
    await indexName(table, { ...ana, lastName: 'Luna' }, ana);
    expect(await find()).toEqual([10]);
    await removeNames(table, ana);
    expect(await find()).toEqual([]);
    await indexName(table, null, ana);
    expect(await find()).toEqual([10]);
  });
});

describe('a name two of whose ends have one hash', () => {
  it('is indexed, found and removed', async () => {
    const patient = { clientId: 100_007, id: 1, firstName: 'Leon Franciscf', lastName: 'Francisci Gutierrez' };
    await indexName(table, null, { ...patient, secondLastName: 'Hernandez Ramirez' });
    expect(await findPatients(table, 100_007, ['francisci'])).toEqual([1]);
    await removeNames(table, patient);
    expect(await findPatients(table, 100_007, ['francisci'])).toEqual([]);
  });
});
