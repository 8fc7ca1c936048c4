import { describe, expect, it } from 'vitest';
import { namesAntibiotic, namesControlledSubstance, splitIngredients } from '../../../shared/domain/medicines.ts';

describe('the ingredients of a text', () => {
  it.each([
    ['  ÁCIDO   acetilsalicílico ', 'acido acetilsalicilico'],
    ['Ácido clavulánico / amoxicilina', 'acido clavulanico+amoxicilina'],
    ['Clorfenamina, paracetamol y fenilefrina', 'clorfenamina+fenilefrina+paracetamol'],
    ['fenilefrina; clorfenamina, y paracetamol', 'clorfenamina+fenilefrina+paracetamol'],
    ['Paracetamol e ibuprofeno', 'ibuprofeno+paracetamol'],
    ['Paracetamol e hidrocodona', 'hidrocodona+paracetamol'],
    ['Losartán + hidroclorotiazida', 'hidroclorotiazida+losartan'],
    ['Calcio con vitamina D & zinc', 'calcio+vitamina d+zinc'],
    ['Vitamina E y zinc', 'vitamina e+zinc'],
    ['Paracetamol, paracetamol', 'paracetamol'],
    ['Yodo y conazol', 'conazol+yodo'],
  ])('%j are %j', (text, ingredients) => {
    expect(splitIngredients(text).join('+')).toBe(ingredients);
  });

  it.each(['', ' ', '-', '--', ', ,', 'N/A', 'na', 'No aplica', 'NINGUNO', 'Sin principio activo'])(
    'are none in %j',
    (text) => {
      expect(splitIngredients(text)).toEqual([]);
    },
  );
});

describe('antibiotics by their active ingredient', () => {
  it.each([
    'Amoxicilina y ácido clavulánico; Sulbactam sódico; BENCILPENICILINA BENZATÍNICA; ceftriaxona sódica; Imipenem; Aztreonam',
    'Claritromicina; Clorhidrato de clindamicina; Sulfato de amikacina; Hiclato de doxiciclina',
    'Rifampicina, isoniazida y pirazinamida; Clorhidrato de ciprofloxacino; Ciprofloxacina; Ácido nalidíxico',
    'Sulfametoxazol; Trimetoprim; Trimetoprima; Sulfadiazina de plata; Metronidazol; Nitrofurantoína; Nifuroxazida',
    'Fosfomicina trometamol; Cloranfenicol; Linezolid; Vancomicina; Teicoplanina; Colistimetato sódico',
    'Mupirocina; Ácido fusídico; Neomicina, polimixina B y bacitracina',
  ])('are %s', (written) => {
    expect(written.split('; ').filter((name) => !namesAntibiotic(name))).toEqual([]);
  });

  it.each([
    'Paracetamol; Sulfato de salbutamol; Sulfato ferroso; Sulfasalazina; Fluconazol; Benznidazol; Ivermectina',
    'Natamicina; Bleomicina; Mitomicina; Ciclosporina; Carisoprodol; Pioglitazona; Clortalidona; ',
  ])('are not %s', (written) => {
    expect(written.split('; ').filter((name) => namesAntibiotic(name))).toEqual([]);
  });
});

describe('narcotics and psychotropics by their active ingredient', () => {
  it.each([
    'Clorhidrato de tramadol; Tramadol/Paracetamol; Fosfato de codeína y paracetamol; Citrato de fentanilo',
    'Clorhidrato de metilfenidato; Loratadina y sulfato de pseudoefedrina; ALPRAZOLAM; Eszopiclona; Fenobarbital',
    'Tartrato de ergotamina y cafeína; Clorhidrato de bupropión; Carisoprodol y naproxeno; Haloperidol',
    'Clorhidrato de amitriptilina; Carbonato de litio; Sulpirida',
  ])('are %s', (written) => {
    expect(written.split('; ').filter((name) => !namesControlledSubstance(name))).toEqual([]);
  });

  // Carbamazepine, sertraline, levodopa and valproic acid stood in art. 245 IV until 15 January 2026.
  it.each([
    'Paracetamol; Carbamazepina; Clorhidrato de sertralina; Clorhidrato de fluoxetina; Levodopa y carbidopa; ',
    'Ácido valproico; Pregabalina; Fenilefrina; Bromhidrato de dextrometorfano; Albendazol',
  ])('are not %s', (written) => {
    expect(written.split('; ').filter((name) => namesControlledSubstance(name))).toEqual([]);
  });
});
