import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { namesControlledSubstance } from '../../../shared/domain/medicines/controlled-substances.ts';

describe('narcotics and psychotropics by their active ingredient', () => {
  it.each([
    'Clorhidrato de tramadol',
    'Tramadol/Paracetamol',
    'Fosfato de codeína y paracetamol',
    'Citrato de fentanilo',
    'Clorhidrato de metilfenidato',
    'Loratadina y sulfato de pseudoefedrina',
    'Clonazepam',
    'ALPRAZOLAM',
    'Eszopiclona',
    'Fenobarbital',
    'Tartrato de ergotamina y cafeína',
    'Clorhidrato de bupropión',
    'Carisoprodol y naproxeno',
    'Clorhidrato de amitriptilina',
    'Haloperidol',
    'Carbonato de litio',
    'Sulpirida',
  ])('%s is one', (name) => {
    expect(namesControlledSubstance(name)).toBe(true);
  });

  // Carbamazepine, sertraline, levodopa and valproic acid stood in art. 245 IV until 15 January 2026.
  it.each([
    '',
    'Paracetamol',
    'Carbamazepina',
    'Clorhidrato de sertralina',
    'Clorhidrato de fluoxetina',
    'Levodopa y carbidopa',
    'Ácido valproico',
    'Pregabalina',
    'Fenilefrina',
    'Bromhidrato de dextrometorfano',
    'Albendazol',
    'Mebendazol',
  ])('%s is none', (name) => {
    expect(namesControlledSubstance(name)).toBe(false);
  });

  it('of the demonstration catalog are those that are not sold', () => {
    type Base = { name: string; sanitary_fraction: string; medical_information: { active_ingredient: string } | null };
    const lines = readFileSync('infra/local/demo-catalog/bases.jsonl', 'utf8').trim().split('\n');
    const found = lines
      .map((line): Base => JSON.parse(line))
      .filter(({ medical_information: own }) => own && namesControlledSubstance(own.active_ingredient));
    expect(found.map(({ name, sanitary_fraction }) => [name, sanitary_fraction])).toEqual([
      ['Tramadol 50 mg', 'II'],
      ['Clonazepam 2 mg', 'II'],
      ['Alprazolam 0.25 mg', 'II'],
    ]);
  });
});
