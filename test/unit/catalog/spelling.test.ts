import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toSpellingColumns } from '../../../shared/catalog/publishing/compile/product-columns.ts';
import { createSpelling } from '../../../shared/catalog/spelling.ts';

// A search without results is corrected to the nearest words of products: drug names first, and never a number.

type Row = Parameters<typeof toSpellingColumns>[0][number];

/** Returns a product of this name, and of this active ingredient if it is a medicine. */
const row = (name: string, active_ingredient?: string): Row => ({
  base: { name, medical_information: active_ingredient === undefined ? null : ({ active_ingredient } as never) },
});

const ROWS = [
  row('Paracetamol 500 mg', 'Paracetamol'),
  row('Amoxicilina/Ácido clavulánico 875 mg', 'Amoxicilina, ácido clavulánico'),
  row('Tempra forte', 'Paracetamol'),
  row('Crema forma suave'),
  row('Crema suave'),
  row('Zinc 50 mg', 'Zinc'),
  row('Sales B12 para niños', 'Cloruro de sodio'),
];
const COMPANIES = [{ name: 'Laboratorios Solmar' }];

function createCorrection(rows: readonly Row[]) {
  const names = rows.map(({ base }) => base.name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()).join('\n');
  const stands = (word: string) => names.includes(word) || '7501000000011'.includes(word);
  return createSpelling(stands, () => toSpellingColumns(rows, COMPANIES));
}

it('has the words of names and companies, folded and in order, with their products and kinds', () => {
  const { spellingWords, spellingCounts, spellingKinds } = toSpellingColumns(ROWS, COMPANIES);
  const words = new TextDecoder().decode(spellingWords).split('\n');
  expect(words.map((word, index) => `${word} ${spellingCounts[index]} ${spellingKinds[index]}`).join(', ')).toBe(
    'acido 1 1, amoxicilina 1 1, b 1 0, clavulanico 1 1, crema 2 1, forma 1 0, forte 1 0, laboratorios 0 2, mg 3 0, ' +
      'ninos 1 0, para 1 0, paracetamol 1 1, sales 1 1, solmar 0 2, suave 2 0, tempra 1 1, zinc 1 1',
  );
});

describe('a spelling', () => {
  it.each([
    ['Paracétmol', 'paracetamol'],
    ['  PARACETMOL   500 ', 'paracetamol 500'],
    ['zync', 'zinc'],
    ['zinnc', 'zinc'],
    ['zicn', 'zinc'],
    ['amoxicilna/acido', 'amoxicilina/acido'],
    ['paracetmol amoxisilina zync', 'paracetamol amoxicilina zinc'],
    // One edit from 4 letters on, and two from 6 on.
    ['tampra', 'tempra'],
    ['tampro', 'tempra'],
    ['ampro', undefined],
    ['tempr', undefined],
    ['sueva', undefined],
    ['zic', undefined],
    ['izncc zicn', undefined],
    ['prcetmol', undefined],
    // What stands in a name or a barcode, and numbers.
    ['', undefined],
    ['paracetamol forte', undefined],
    ['cetamol', undefined],
    ['5000', undefined],
    // The whole search is corrected, of three words at most, and none of a company.
    ['paracetmol xyzxyz', undefined],
    ['paracetmol paracetml pracetamol paracetamop', undefined],
    ['laboratorio', undefined],
    ['solmarr', undefined],
    ['a'.repeat(41), undefined],
  ])('of %j is %j', (search, corrected) => {
    expect(createCorrection(ROWS)(search)).toBe(corrected);
  });

  it.each<[Row[], string, string]>([
    [[row('Gel lotona'), row('Lotanal')], 'lotonal', 'lotanal'],
    [[row('Gel lotona'), row('Lotanal')], 'lotonna', 'lotona'],
    [[row('Gel betamela'), row('Bitamola')], 'betamola', 'bitamola'],
    [[row('Rimenal'), row('Ramanal')], 'rimanil', 'ramanal'],
    [[row('Rimenal'), row('Ramanal')], 'rimenil', 'rimenal'],
    [[row('Bramol'), row('Cramol'), row('Cramol 2')], 'dramol', 'cramol'],
    [[row('Cramol'), row('Bramol')], 'dramol', 'bramol'],
    [[row('Gel', 'Zopiclona'), row('Otro zopiclona'), row('Gel zopiclone')], 'zopiclonu', 'zopiclona'],
    [[row('a'.repeat(40))], `${'a'.repeat(38)}bb`, 'a'.repeat(40)],
  ])(
    'is a drug name first, then of fewer edits, then of more products, then by the alphabet: %#',
    (rows, search, word) => {
      expect(createCorrection(rows)(search)).toBe(word);
    },
  );

  it('is not a word as near to the name of a company, and none of a catalog without words', () => {
    const gel = createCorrection([row('Gel solman')]);
    expect([gel('solmat'), gel('solmann'), createCorrection([])('paracetmol')]).toEqual([
      undefined,
      'solman',
      undefined,
    ]);
  });

  it('finds a word by every text that two edits make of it', () => {
    const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz');
    const edit = fc.record({ at: fc.nat(), removed: fc.nat(1), added: fc.option(letter, { nil: '' }) });
    const word = fc.string({ unit: letter, minLength: 8, maxLength: 20 });
    fc.assert(
      fc.property(word, fc.array(edit, { minLength: 1, maxLength: 2 }), (original, edits) => {
        const written = edits.reduce((text, { at, removed, added }) => {
          const place = at % text.length;
          return text.slice(0, place) + added + text.slice(place + removed);
        }, original);
        fc.pre(!original.includes(written));
        expect(createCorrection([row(original)])(written)).toBe(original);
      }),
    );
  });
});
