import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { namesAntibiotic } from '../../../shared/domain/medicines/antibiotics.ts';

describe('antibiotics by their active ingredient', () => {
  it.each([
    'Amoxicilina',
    'Amoxicilina y ácido clavulánico',
    'Ampicilina sódica/sulbactam sódico',
    'BENCILPENICILINA BENZATÍNICA',
    'Cefalexina',
    'ceftriaxona sódica',
    'Imipenem y cilastatina',
    'Aztreonam',
    'Claritromicina',
    'Clorhidrato de clindamicina',
    'Sulfato de gentamicina',
    'Sulfato de amikacina',
    'Hiclato de doxiciclina',
    'Rifampicina, isoniazida y pirazinamida',
    'Clorhidrato de ciprofloxacino',
    'Ciprofloxacina',
    'Ácido nalidíxico',
    'Trimetoprima y sulfametoxazol',
    'Trimetoprim/Sulfametoxazol',
    'Sulfadiazina de plata',
    'Metronidazol',
    'Nitrofurantoína',
    'Nifuroxazida',
    'Fosfomicina trometamol',
    'Cloranfenicol',
    'Linezolid',
    'Vancomicina',
    'Teicoplanina',
    'Colistimetato sódico',
    'Mupirocina',
    'Ácido fusídico',
    'Neomicina, polimixina B y bacitracina',
  ])('%s is one', (name) => {
    expect(namesAntibiotic(name)).toBe(true);
  });

  it.each([
    '',
    'Paracetamol',
    'Sulfato de salbutamol',
    'Sulfato ferroso',
    'Sulfasalazina',
    'Fluconazol',
    'Clotrimazol',
    'Albendazol',
    'Benznidazol',
    'Ivermectina',
    'Nistatina',
    'Natamicina',
    'Bleomicina',
    'Mitomicina',
    'Doxorubicina',
    'Colchicina',
    'Ciclosporina',
    'Carisoprodol',
    'Captopril',
    'Pioglitazona',
    'Clortalidona',
    'Aciclovir',
  ])('%s is none', (name) => {
    expect(namesAntibiotic(name)).toBe(false);
  });

  it('of the demonstration catalog are those with its tag, and metronidazole', () => {
    type Base = { name: string; tags: number[]; medical_information: { active_ingredient: string } | null };
    const lines = readFileSync('infra/local/demo-catalog/bases.jsonl', 'utf8').trim().split('\n');
    const bases = lines.map((line): Base => JSON.parse(line));
    const ANTIBIOTIC = 2;
    const tagged = bases.filter(({ tags }) => tags.includes(ANTIBIOTIC)).map(({ name }) => name);
    const found = bases.filter(({ medical_information: own }) => own && namesAntibiotic(own.active_ingredient));
    expect(tagged).toHaveLength(16);
    expect(found.map(({ name }) => name)).toEqual([...tagged, 'Metronidazol 500 mg']);
  });
});
