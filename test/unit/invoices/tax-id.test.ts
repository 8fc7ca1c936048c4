import { describe, expect, it } from 'vitest';
import type { ValidationError } from '../../../shared/domain/refusal.ts';
import { PAYMENT_FORMS, REGIMES, type TaxpayerKind, USES } from '../../../shared/invoices/rules/sat-tables.ts';
import { type ReceiverInput, taxpayerKind, validateReceiver } from '../../../shared/invoices/rules/tax-id.ts';

const PERSON = 'GODE561231GR8';
const COMPANY = 'EKU9003173C9';

const errors = (more: Partial<ReceiverInput>): ValidationError[] =>
  validateReceiver({ full_name: 'ANA PAZ', rfc: PERSON, fiscal_regime: '612', cfdi_use: 'G03', ...more }, [
    'invoicing',
  ]);

const OF_COMPANY = { rfc: COMPANY, fiscal_regime: '601' };
const messages = (more: Partial<ReceiverInput>) => errors(more).map(({ path: _, ...message }) => message);

describe('taxpayerKind', () => {
  // SAT publishes the first two RFCs for tests.
  it.each([
    ['of a company', 'EKU9003173C9', 'company'],
    ['of a person', 'CACX7605101P8'],
    ['with a &', 'A&B800101AB1', 'company'],
    ['with a Ñ', 'ÑUÑA800101AB1'],
    ['with a Ñ of two characters', 'N\u0303UN\u0303A800101AB1'],
    ['of 29 February 2000', 'GODE000229GR8'],
    ['of 29 February of a leap year', 'GODE560229GR8'],
    ['with an A at the end', 'GODE561231GRA'],
  ])('accepts one %s: %s', (_, rfc, kind = 'person') => {
    expect(taxpayerKind(rfc)).toBe(kind);
  });

  it.each([
    ['of nothing', ''],
    ['of 11 characters', 'EK9003173C9'],
    ['with hyphens', 'GODE-561231-GR8'],
    ['of 30 February', 'GODE560230GR8'],
    ['of 29 February of no leap year', 'GODE570229GR8'],
    ['of month 13', 'GODE561331GR8'],
    ['with a letter as its last character', 'GODE561231GRB'],
    ['with a digit in the initials', 'G0DE561231GR8'],
    ['with two lines', 'GODE561231GR8\nX'],
    ['in letters that look alike', 'GОDE561231GR8'],
  ])('refuses one %s', (_, rfc) => {
    expect(taxpayerKind(rfc)).toBeUndefined();
  });
});

describe('validateReceiver', () => {
  it('finds no error in a valid person and a valid company', () => {
    expect(errors({})).toEqual([]);
    expect(errors(OF_COMPANY)).toEqual([]);
    expect(errors({ rfc: ' gode561231gr8 ', fiscal_regime: '605', cfdi_use: 'D01' })).toEqual([]);
  });

  it('gives every error with its path, one to a field', () => {
    expect(errors({ full_name: ' | ', rfc: 'X', fiscal_regime: '', cfdi_use: '' })).toEqual([
      { path: ['invoicing', 'full_name'], code: 'blank' },
      { path: ['invoicing', 'rfc'], code: 'not_an_rfc' },
      { path: ['invoicing', 'fiscal_regime'], code: 'required' },
      { path: ['invoicing', 'cfdi_use'], code: 'required' },
    ]);
    expect(validateReceiver({ full_name: 'A', rfc: 'X', fiscal_regime: '612', cfdi_use: 'G03' }, [])).toEqual([
      { path: ['rfc'], code: 'not_an_rfc' },
    ]);
  });

  it.each(['XAXX010101000', 'XEXX010101000', ' xaxx010101000'])('refuses the generic RFC %j', (rfc) => {
    expect(messages({ rfc, fiscal_regime: '616', cfdi_use: 'S01' })).toEqual([{ code: 'rfc_generic' }]);
  });

  it.each([
    ['PUBLICO EN GENERAL', [{ code: 'name_of_the_public' }]],
    ['pu\u0301blico  en\tgeneral', [{ code: 'name_of_the_public' }]],
    [' PÚBLICO EN GENERAL. ', [{ code: 'name_of_the_public' }]],
    ['PUBLICO-EN-GENERAL', [{ code: 'name_of_the_public' }]],
    ['SERVICIOS AL PUBLICO EN GENERAL', []],
    ['ANA PUBLICO EN GENERAL', []],
  ])('judges the general public as a name, however it is written: %j', (name, expected) => {
    expect(messages({ full_name: name })).toEqual(expected);
  });

  it.each([
    ['a regime that SAT does not have', { fiscal_regime: '600' }, 'regime_unknown', { regime: '600' }],
    ['a regime of companies for a person', { fiscal_regime: '601' }, 'regime_of_companies', { regime: '601' }],
    ['a regime of persons for a company', { rfc: COMPANY }, 'regime_of_persons', { regime: '612' }],
    ['a use that SAT does not have any more', { cfdi_use: 'P01' }, 'cfdi_use_unknown', { use: 'P01' }],
    ['what every object has as a use', { cfdi_use: 'toString' }, 'cfdi_use_unknown', { use: 'toString' }],
    ['a payment as a use', { fiscal_regime: '605', cfdi_use: 'CP01' }, 'cfdi_use_not_of_a_sale', { use: 'CP01' }],
    ['a deduction for a company', { ...OF_COMPANY, cfdi_use: 'D01' }, 'cfdi_use_of_persons', { use: 'D01' }],
  ])('refuses %s', (_, input, code, values) => {
    expect(messages(input)).toEqual([{ code, values }]);
  });

  it.each([
    ['616', 'G03', 'G02, S01'],
    ['610', 'G01', 'S01'],
    ['626', 'D01', 'G01, G02, G03, I01, I02, I03, I04, I05, I06, I07, I08, S01'],
  ])('refuses of regime %s the use %s, and says which it allows', (regime, use, uses) => {
    expect(messages({ fiscal_regime: regime, cfdi_use: use })).toEqual([
      { code: 'cfdi_use_not_of_regime', values: { use, regime, uses } },
    ]);
  });
});

describe("SAT's catalogs of CFDI 4.0", () => {
  const listCodes = (table: typeof REGIMES | typeof USES, ...kinds: TaxpayerKind[]): string =>
    Object.keys(table)
      .filter((code) => table[code]?.kinds.join() === kinds.join())
      .sort()
      .join(' ');

  it('have 19 regimes and, without payments and payrolls, 22 uses, of persons, companies or both', () => {
    expect(listCodes(REGIMES, 'person')).toBe('605 606 607 608 611 612 614 615 616 621 625');
    expect(listCodes(REGIMES, 'company')).toBe('601 603 620 622 623 624');
    expect(listCodes(REGIMES, 'person', 'company')).toBe('610 626');
    expect(listCodes(USES, 'person')).toBe('D01 D02 D03 D04 D05 D06 D07 D08 D09 D10');
    expect(listCodes(USES, 'person', 'company')).toBe('G01 G02 G03 I01 I02 I03 I04 I05 I06 I07 I08 S01');
  });

  it('have 22 forms of payment', () => {
    const codes = '01 02 03 04 05 06 08 12 13 14 15 17 23 24 25 26 27 28 29 30 31 99';
    expect(Object.keys(PAYMENT_FORMS).sort().join(' ')).toBe(codes);
  });

  it.each([
    ['G01 G03 I01 I02 I03 I04 I05 I06 I07 I08', '601 603 606 612 620 621 622 623 624 625 626'],
    ['G02', '601 603 606 612 616 620 621 622 623 624 625 626'],
    ['D01 D02 D03 D04 D05 D06 D07 D08 D09 D10', '605 606 607 608 611 612 614 615 625'],
    ['S01', '601 603 605 606 607 608 610 611 612 614 615 616 620 621 622 623 624 625 626'],
  ])('have the uses %s for the regimes %s', (uses, regimes) => {
    for (const use of uses.split(' ')) expect([...(USES[use]?.regimes ?? [])].sort().join(' ')).toBe(regimes);
  });
});
