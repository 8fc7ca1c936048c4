import { afterEach, describe, expect, it, vi } from 'vitest';
import { businessConfig } from '../../../shared/runtime/config.ts';

afterEach(() => vi.unstubAllEnvs());

function configWith(environment: Record<string, string>) {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  return businessConfig();
}

describe('the rates of IVA in the environment', () => {
  it('are 16 % everywhere, for shipping too, unless something else is set', () => {
    expect(businessConfig()).toMatchObject({ IVA_RATE: 160_000, SHIPPING_IVA_RATE: 160_000, BORDER_ZIPCODES: [] });
    expect(configWith({ BORDER_ZIPCODES: '' }).BORDER_ZIPCODES).toEqual([]);
  });

  it("are SAT's", () => {
    expect(configWith({ IVA_RATE: '0.08', SHIPPING_IVA_RATE: '0' })).toMatchObject({
      IVA_RATE: 80_000,
      SHIPPING_IVA_RATE: 0,
    });
  });

  it.each([
    ['IVA_RATE', '0.15'],
    ['IVA_RATE', '0'],
    ['IVA_RATE', '16'],
    ['SHIPPING_IVA_RATE', '0.15'],
    ['SHIPPING_IVA_RATE', '0.160'],
  ])('refuse %s %s', (name, value) => {
    expect(() => configWith({ [name]: value })).toThrow(`${name} is not valid: Invalid option: expected one of `);
  });

  it('have the zip codes of the border as a list of ranges', () => {
    expect(configWith({ BORDER_ZIPCODES: '21000-22999,83400' }).BORDER_ZIPCODES).toEqual([
      { from: '21000', to: '22999' },
      { from: '83400', to: '83400' },
    ]);
    expect(() => configWith({ BORDER_ZIPCODES: '21000-22999,834' })).toThrow(
      'BORDER_ZIPCODES is not valid: "834" is no zip code or range of zip codes.',
    );
  });
});
