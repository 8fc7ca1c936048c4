import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toSpellingColumns } from '../../../shared/catalog/publishing/compile/product-columns.ts';
import { countEdits, createSpelling } from '../../../shared/catalog/spelling.ts';

type Row = Parameters<typeof toSpellingColumns>[0][number];

/** A product of this name, and of this active ingredient if it is a medicine. */
const row = (name: string, active_ingredient?: string): Row => ({
  base: {
    name,
    medical_information: active_ingredient === undefined ? null : ({ active_ingredient } as never),
  },
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

function spell(rows: readonly Row[]) {
  const names = rows.map(({ base }) => base.name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()).join('\n');
  let reads = 0;
  const correct = createSpelling(
    (word) => names.includes(word) || '7501000000011'.includes(word),
    () => {
      reads++;
      return toSpellingColumns(rows, []);
    },
  );
  return { correct, reads: () => reads };
}

describe('the words of a spelling', () => {
  it('are those of names, folded and in order, with their products and what names a drug', () => {
    const { spellingWords, spellingCounts, spellingKinds } = toSpellingColumns(ROWS, []);
    const words = new TextDecoder().decode(spellingWords).split('\n');
    expect(words.map((word, index) => `${word} ${spellingCounts[index]} ${spellingKinds[index]}`)).toEqual([
      'acido 1 1',
      'amoxicilina 1 1',
      'b 1 0',
      'clavulanico 1 1',
      'crema 2 1',
      'forma 1 0',
      'forte 1 0',
      'mg 3 0',
      'ninos 1 0',
      'para 1 0',
      'paracetamol 1 1',
      'sales 1 1',
      'suave 2 0',
      'tempra 1 1',
      'zinc 1 1',
    ]);
  });
});

describe('a spelling', () => {
  const { correct } = spell(ROWS);

  it.each([
    ['paracetmol', 'paracetamol'],
    ['Paracétmol', 'paracetamol'],
    ['  PARACETMOL   500 ', 'paracetamol 500'],
    ['amoxisilina', 'amoxicilina'],
    ['amoxicilinaa', 'amoxicilina'],
    ['aomxicilina', 'amoxicilina'],
    ['zync', 'zinc'],
    ['zinnc', 'zinc'],
    ['izncc zicn', undefined],
    ['zicn', 'zinc'],
    ['amoxicilna/acido', 'amoxicilina/acido'],
    ['clavulanco paracetmol', 'clavulanico paracetamol'],
    ['paracetmol paracetmol', 'paracetamol paracetamol'],
  ])('of %j is %j', (search, corrected) => {
    expect(correct(search)).toBe(corrected);
  });

  it.each([
    ['nothing', ''],
    ['what stands in a name', 'paracetamol forte'],
    ['a part of a word', 'cetamol'],
    ['a part of a barcode', '7501'],
    ['a number', '5000'],
    ['three letters', 'zic'],
    ['two edits in five letters', 'tmprra forti sueva'],
    ['three edits', 'prcetmol'],
    ['a word that is like no other beside one that is', 'paracetmol xyzxyz'],
    ['four words', 'paracetmol paracetml pracetamol paracetamop'],
    ['41 letters', `${'a'.repeat(41)}`],
  ])('leaves %s', (_, search) => {
    expect(correct(search)).toBeUndefined();
  });

  it('corrects three words at once', () => {
    expect(correct('paracetmol amoxisilina zync')).toBe('paracetamol amoxicilina zinc');
  });

  it('allows one edit from 4 letters on, and two from 6 on', () => {
    expect(correct('tempr')).toBeUndefined();
    expect(correct('tampra')).toBe('tempra');
    expect(correct('tampro')).toBe('tempra');
    expect(correct('ampro')).toBeUndefined();
    expect(spell([row('a'.repeat(40))]).correct(`${'a'.repeat(38)}bb`)).toBe('a'.repeat(40));
  });

  it('takes drug names first, then fewer edits, then more products, then the alphabet', () => {
    const { correct: drugFirst } = spell([row('Gel lotona'), row('Lotanal')]);
    expect(drugFirst('lotonal')).toBe('lotanal');
    expect(drugFirst('lotonna')).toBe('lotona');
    const { correct: drugOfTwoEdits } = spell([row('Gel betamela'), row('Bitamola')]);
    expect(drugOfTwoEdits('betamola')).toBe('bitamola');
    expect(drugOfTwoEdits('bitamella')).toBe('bitamola');
    const { correct: fewerEdits } = spell([row('Rimenal'), row('Ramanal')]);
    expect(fewerEdits('rimanil')).toBe('ramanal');
    expect(fewerEdits('rimenil')).toBe('rimenal');
    const { correct: moreProducts } = spell([row('Bramol'), row('Cramol'), row('Cramol 2')]);
    expect(moreProducts('dramol')).toBe('cramol');
    const { correct: alphabet } = spell([row('Cramol'), row('Bramol')]);
    expect(alphabet('dramol')).toBe('bramol');
  });

  it('reads the words when it corrects one first, and once', () => {
    const { correct: own, reads } = spell(ROWS);
    own('paracetamol');
    own('500 x');
    expect(reads()).toBe(0);
    own('paracetmol');
    own('zync');
    expect(reads()).toBe(1);
  });

  it('finds nothing in a catalog without words', () => {
    expect(spell([]).correct('paracetmol')).toBeUndefined();
    expect(spell([row('500')]).correct('paracetmol')).toBeUndefined();
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
        expect(spell([row(original)]).correct(written)).toBe(original);
      }),
    );
  });
});

describe('edits', () => {
  it.each([
    ['zinc', 'zinc', 0],
    ['zicn', 'zinc', 1],
    ['zinnc', 'zinc', 1],
    ['zync', 'zinc', 1],
    ['inzc', 'zinc', 2],
    ['kitten', 'sitting', 3],
    ['', 'zinc', 4],
  ])('between %j and %j are %d', (one, other, edits) => {
    expect([countEdits(one, other), countEdits(other, one)]).toEqual([edits, edits]);
  });
});
