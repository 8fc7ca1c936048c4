import { describe, expect, it } from 'vitest';
import { type IvaRates, ivaRateAt, parseZipcodeRange } from '../../../shared/domain/iva-rates.ts';

const RATES: IvaRates = {
  generalMicros: 160_000,
  shippingMicros: 160_000,
  borderZipcodes: [
    { from: '21000', to: '22999' },
    { from: '83400', to: '83400' },
    { from: '00500', to: '00510' },
  ],
};

describe('the rate of IVA', () => {
  it.each(['21000', '22000', '22999', '83400', '00500', '00510'])('is that of the border in zip code %s', (zipcode) => {
    expect(ivaRateAt(zipcode, RATES)).toBe(80_000);
  });

  it.each(['20999', '23000', '83399', '83401', '00499', '00511', '2200', '220000', '', 'x', null])(
    'is the general one in zip code %j',
    (zipcode) => {
      expect(ivaRateAt(zipcode, RATES)).toBe(160_000);
    },
  );

  it('is the general one everywhere without zip codes of the border', () => {
    expect(ivaRateAt('22000', { ...RATES, borderZipcodes: [] })).toBe(160_000);
  });
});

describe('parseZipcodeRange', () => {
  it('parses a zip code and a range of them', () => {
    expect(parseZipcodeRange('08340')).toEqual({ from: '08340', to: '08340' });
    expect(parseZipcodeRange('21000-22999')).toEqual({ from: '21000', to: '22999' });
  });

  it.each(['', '2200', '22000-', '-22000', '22000-2', '22000-21999', '22000-22001-22002', ' 22000', '22000 - 22999'])(
    'refuses %j',
    (written) => {
      expect(parseZipcodeRange(written)).toBeUndefined();
    },
  );
});
