import { describe, expect, it } from 'vitest';
import { foldText } from '../../../shared/domain/text.ts';
import { removePerson } from '../../../shared/erasure/erase-patient.ts';
import { readOrderPage } from '../../../shared/order/lists/order-page.ts';
import { findPatients, nameItems, removeNames } from '../../../shared/people/name-index.ts';
import { changeUser } from '../../../shared/people/patients.ts';
import { createUser, type UserRecord } from '../../../shared/people/users.ts';
import { Ids } from '../../../shared/store/ids.ts';
import { keyName } from '../../../shared/store/keys.ts';
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

/* How a search finds patients by any part of their names, and what is stored for it. */

useOrderTable();

type Names = readonly (readonly [first: string, last: string, second?: string | null])[];

/** Stores an order for each name at the first call: 1 for patient 11, and so on; all tests only read them. */
function register(client: number, names: Names): () => Promise<void> {
  let written: Promise<void> | undefined;
  const write = async () => {
    for (const [index, [firstName, lastName, secondLastName = null]] of names.entries()) {
      await listed({
        id: 1 + index,
        clientId: client,
        patient: { id: 11 + index, firstName, lastName, secondLastName },
      });
    }
  };
  return () => {
    written ??= write();
    return written;
  };
}

/** Lists the orders that a search for this text finds, the first ones first. */
async function search(text: string, client = clientId, from = table): Promise<number[]> {
  const asked = { clientId: client, nameWords: foldText(text).split(' ') };
  const { count, orders } = await readOrderPage(
    from,
    selection({ ...asked, ordering: [{ field: 'createdAt', isDescending: false }] }),
  );
  expect(orders).toHaveLength(count);
  return idsIn(orders);
}

/** Expects of each text that a search finds the orders of the names that have it. */
async function expectAsPlain(texts: readonly string[], names: readonly string[], client: number): Promise<void> {
  for (const text of new Set(texts.map((one) => one.trim()).filter((one) => one !== ''))) {
    const words = text.split(' ');
    const plain = names.flatMap((name, index) => (words.every((word) => name.includes(word)) ? [index + 1] : []));
    expect([text, await search(text, client)]).toEqual([text, plain]);
  }
}

const find = (...words: string[]) => findPatients(table, clientId, words);
const addName = (id: number, name: string, client = clientId) =>
  table.putAll(nameItems({ clientId: client, id, name }));

/** Reads every item of the name index of the client. */
async function indexItems(): Promise<Item[]> {
  const ofClient = { filter: 'begins_with(pk, :index)', values: { ':index': `NAME#${clientId}#` } };
  const items: Item[] = [];
  await table.scan(ofClient, (item) => items.push(item));
  return items.sort((one, other) => (keyName(one) < keyName(other) ? -1 : 1));
}

const LONG_WORD = 'abcdefghijklmnopqrstuvwxyzabcdefghijklmn';
const PATIENTS: Names = [
  ['José', 'Núñez', 'de la Peña'],
  ['María José', 'Güemes'],
  ['Zoë', "O'Neill", ''],
  ['Li', 'Wu'],
  [LONG_WORD, 'Paz'],
  [`${LONG_WORD.slice(0, 34)}zzz`, 'Paz'],
  ['李小龙王', 'Дмитрий', 'محمود'],
  ['😀🎈😀🎈', 'Ana-Sofía'],
  ['Ja'.repeat(15), 'ja'.repeat(15), 'a'.repeat(30)],
  ['Ana', 'Anaya', 'Santa Ana'],
];

describe('a search by name', () => {
  const NAMES = 100_000;
  const registered = register(NAMES, PATIENTS);

  it('finds what a plain comparison of every name finds', async () => {
    await registered();
    const fullNames = PATIENTS.map((name) => foldText(name.filter(Boolean).join(' ')));
    const parts = fullNames
      .flatMap((full) => full.split(' '))
      .map((name) => [...name])
      .flatMap((letters) =>
        [2, 3, 4].flatMap((length) =>
          [0, 1, Math.max(0, letters.length - length)].map((start) => letters.slice(start, start + length).join('')),
        ),
      );
    const others = ['jose nunez', 'jose neill', 'li wu', 'oneill', 'josenunez', LONG_WORD, `${LONG_WORD}x`];
    const long = [34, 35].map((length) => LONG_WORD.slice(0, length));
    await expectAsPlain([...parts, ...others, ...long, 'ja'.repeat(16)], fullNames, NAMES);
    expect(await search('jose', NAMES + 1)).toEqual([]);
  });

  it('reads the names of eight words at most, and then the orders of the patients found', async () => {
    await registered();
    const { table: told, reads } = withReads();
    expect(await search('jose nunez', NAMES, told)).toEqual([1]);
    // Three queries for two names, for one and for the long ones, and one for the order.
    expect(reads).toEqual({ pages: 4, items: 2 + 1 + 0 + 1, batches: 1, keys: 1 });
    const many = withReads();
    const words = ['jose', 'nunez', 'uno', 'dos', 'tres', 'cuatro', 'cinco', 'seis', 'siete', 'ocho'];
    expect([await findPatients(many.table, NAMES, words), many.reads.pages]).toEqual([[], 8 + 1]);
  });
});

describe('a search for a common name', () => {
  const CROWD = 100_002;
  let patients = 0;
  /** Adds patients 1,000 and so on, who are called Eva and their number, until there are this many. */
  async function crowd(wanted: number): Promise<void> {
    const added = Array.from({ length: wanted - patients }, (_, index) => patients + index);
    patients = wanted;
    const name = (id: number) => `eva x${String(id).padStart(3, '0')}`;
    await table.putAll(added.flatMap((id) => nameItems({ clientId: CROWD, id: 1_000 + id, name: name(id) })));
  }
  const findInCrowd = (...words: string[]) => findPatients(table, CROWD, words);

  it('leads to 100 patients, and not to more, unless another word narrows it', async () => {
    await crowd(100);
    expect(await findInCrowd('eva')).toHaveLength(100);
    await crowd(101);
    expect(await findInCrowd('eva')).toBeUndefined();
    expect(await findInCrowd('eva', 'x007')).toEqual([1_007]);
    await crowd(400);
    // Two letters are looked for in the 400 names.
    expect(await findInCrowd('eva', '39')).toEqual([
      1_039, 1_139, 1_239, 1_339, 1_390, 1_391, 1_392, 1_393, 1_394, 1_395, 1_396, 1_397, 1_398, 1_399,
    ]);
    await crowd(401);
    expect(await findInCrowd('eva', '39')).toBeUndefined();
    expect(await findInCrowd('eva', 'x012')).toEqual([1_012]);
    // It goes through the orders, and finds the same.
    const named = (id: number, firstName: string, lastName: string) =>
      listed({ id, clientId: CROWD, patient: { id: 2_000 + id, firstName, lastName } });
    await named(1, 'Eva', 'Vega');
    await named(2, 'Eva', 'Lara');
    await named(3, 'Luz', 'Lara');
    expect([await search('eva', CROWD), await search('eva la', CROWD)]).toEqual([[1, 2], [2]]);
  });
});

/** Letters of a script, all of them different, from one code point on. */
const lettersFrom = (first: number, count: number): string =>
  String.fromCodePoint(...Array.from({ length: count }, (_, index) => first + index));

/** Contains names as long as the fields of a person take, none of which is spelled as any other. */
const LONG_NAMES = [
  lettersFrom(0x4e00, 230),
  lettersFrom(0x20000, 230),
  `${lettersFrom(0xad00, 60)} ${lettersFrom(0x4f00, 60)} ${lettersFrom(0x1f400, 60)} José Núñez`,
  `${'e\u0301\u0323'.repeat(70)}xylo`,
  '\ufdfa\ufb03'.repeat(115),
  `${'Abcdefghijklmnopqrstuvwxyz'.repeat(8)} Plantapaterno`,
  'Tomas Maria Lucia Elena Pablo Diego Ruben Oscar Jaime Ramon Celia Clara Dario Felix Gomez Hugos '.repeat(2),
  'a b c d e f g h i j k l m n o p q r s t u v w x y z '.repeat(4),
];

describe('a long name', () => {
  it('is found by any part', async () => {
    const LONG = 100_003;
    await register(
      LONG,
      LONG_NAMES.map((name) => ['Wu', name]),
    )();
    const folded = LONG_NAMES.map((name) => foldText(`Wu ${name}`));
    const parts = folded
      .map((name) => [...name])
      .flatMap((letters) =>
        [0, 3, 31, 32, 33, letters.length - 40, letters.length - 3].flatMap((start) =>
          [3, 36].map((length) => letters.slice(Math.max(0, start), Math.max(0, start) + length).join('')),
        ),
      );
    await expectAsPlain(parts, folded, LONG);
  });

  it('goes through the orders, and finds the same, once a client has more than 400', async () => {
    const long = (id: number) => `${'q'.repeat(70)}${lettersFrom(0x4e00 + id, 70)}`;
    await table.putAll(Array.from({ length: 401 }, (_, id) => nameItems({ clientId, id, name: long(id) })).flat());
    await listed({ id: 1, patient: { id: 1_000, firstName: 'Ana', lastName: 'Paz' } });
    expect([await find('paz'), await search('paz')]).toEqual([undefined, [1]]);
  });
});

describe('the index of names', () => {
  it('finds the orders of each name of a patient by that name, and does no harm with an item of nobody', async () => {
    await listed({ id: 1, patient: { id: 10, firstName: 'Ana', lastName: 'Paz' } });
    await listed({ id: 2, patient: { id: 10, firstName: 'Ana', lastName: 'Luz' } });
    await addName(77, 'ana paz');
    await addName(10, 'ana sol');
    expect([await search('paz'), await search('luz'), await search('sol')]).toEqual([[1], [2], []]);
    expect([await search('ana'), await search('paz luz')]).toEqual([[1, 2], []]);
  });

  it('loses every name of one patient, and those of nobody else', async () => {
    // Two ends of the last name have one hash.
    const names = ['ana paz', 'ana luz', 'ja'.repeat(30), '李小龙王', 'wu', 'leon franciscf francisci gutierrez'];
    for (const name of names) await addName(10, name);
    await addName(11, 'ana paz');
    expect(await find('francisci')).toEqual([10]);
    const ofOther = nameItems({ clientId, id: 11, name: 'ana paz' });
    for (const _ of ['once', 'again']) {
      await removeNames(table, { clientId, id: 10 });
      expect(await indexItems()).toHaveLength(ofOther.length);
      expect(await indexItems()).toEqual(expect.arrayContaining(ofOther));
    }
  });

  it('has no readable part of a name in a key', async () => {
    await addName(10, 'plantanombre plantapaterno 李小龙王');
    const keys = (await indexItems()).map(({ pk, sk }) => `${pk} ${sk}`);
    // Ends of 12, 13 and 4 letters: 10, 11 and 2 of them, and the record of the whole name; two names end alike.
    expect(keys.length).toBe(24);
    for (const key of keys) expect(key).toMatch(/^NAME#\d+#([\w-]{6} [\w-]{6,64}|PATIENT#10 NAME)#10#[\w-]{8}$/);
    expect(keys.join()).not.toMatch(/planta|nombre|paterno/i);
  });

  const PERSON = { role: 'patient', lastName: 'Paz', secondLastName: null, phone: '', passwordHash: null } as const;
  const create = (firstName: string, role: 'patient' | 'doctor' = 'patient') =>
    createUser(table, new Ids(table), { ...PERSON, clientId, role, firstName, email: firstName }, new Date());

  it('has nobody who was refused, and has a patient before the first order', async () => {
    const { id } = await create('ana');
    const before = await indexItems();
    expect(await find('ana')).toEqual([id]);
    for (const role of ['patient', 'doctor'] as const) {
      await expect(create('ana', role)).rejects.toMatchObject({ code: 'invalid_input' });
    }
    expect(await indexItems()).toEqual(before);
    await placed({ id: 1, patient: { id, firstName: 'Ana', lastName: 'Paz' } });
    expect(await search('paz')).toEqual([1]);
  });

  it('has no name that a patient got who was erased meanwhile, and keeps that of one who was changed meanwhile', async () => {
    const rename = (before: UserRecord, firstName: string) => changeUser(table, before, { firstName }, new Date());
    const [erased, renamed] = [await create('ana'), await create('eva')];
    await removePerson(table, erased);
    await expect(rename(erased, 'Olga')).rejects.toMatchObject({ code: 'move_not_allowed' });
    await rename(renamed, 'Inés');
    await expect(rename(renamed, 'Nora')).rejects.toMatchObject({ code: 'move_not_allowed' });
    const found = ['ana', 'olga', 'eva', 'ines'].map((word) => find(word));
    expect(await Promise.all(found)).toEqual([[], [], [renamed.id], [renamed.id]]);
  });
});
