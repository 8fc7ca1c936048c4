import { describe, expect, it } from 'vitest';
import { PAYMENT_FORMS, REGIMES, USES } from '../../../shared/domain/invoices/sat-tables.ts';
import { C_FORMA_PAGO, C_REGIMEN_FISCAL, C_USO_CFDI, REGIMES_OF_USES } from '../../support/invoices/sat/catalogs.ts';

const LETTERS = { person: 'F', company: 'M' } as const;

const written = (table: typeof REGIMES | typeof USES): string[] =>
  Object.entries(table)
    .map(([code, { name, kinds }]) => `${code} ${kinds.map((kind) => LETTERS[kind]).join('')} ${name}`)
    .sort();

describe("SAT's catalogs of CFDI 4.0", () => {
  it('have 19 regimes, each of persons, companies or both', () => {
    expect(written(REGIMES)).toEqual(C_REGIMEN_FISCAL);
  });

  it('have, without payments and payrolls, 22 uses', () => {
    expect(written(USES)).toEqual(C_USO_CFDI);
  });

  it('have 22 forms of payment', () => {
    const forms = Object.entries(PAYMENT_FORMS).map(([code, name]) => `${code} ${name}`);
    expect(forms.sort()).toEqual(C_FORMA_PAGO);
  });

  it.each(REGIMES_OF_USES)('have the uses %s for the regimes %s', (uses, regimes) => {
    for (const use of uses.split(' ')) {
      expect([use, [...(USES[use]?.regimes ?? [])].sort().join(' ')]).toEqual([use, regimes]);
    }
  });
});
