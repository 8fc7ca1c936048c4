import { describe, expect, it } from 'vitest';
import { parsePhone, ROLES } from '../../../shared/people/rules/roles.ts';

it('a user is a patient, a doctor or an insurance employee', () => {
  expect(ROLES).toEqual(['patient', 'doctor', 'insurance_employee']);
});

const MEXICO_CITY = { e164: '+525512345678', countryCode: '52', nationalNumber: '5512345678' };

describe('parsePhone', () => {
  it.each([
    '+525512345678',
    '+52-55-1234-5678',
    '+52 (55) 1234.5678',
    // The 1 before old mobile numbers is dropped.
    '+5215512345678',
    '+521 (55) 1234-5678',
  ])('reads %s', (text) => {
    expect(parsePhone(text)).toEqual(MEXICO_CITY);
  });

  it.each([
    ['+34 912 345 678', '34', '912345678'],
    // Nobody can be called at these.
    ['+15551234567', '1', '5551234567'],
    ['+520000000000', '52', '0000000000'],
    ['+52 01 55 123456', '52', '0155123456'],
    ['+88312345678901', '883', '12345678901'],
  ])('reads %s of any country', (text, countryCode, nationalNumber) => {
    const e164 = `+${countryCode}${nationalNumber}`;
    expect(parsePhone(text)).toEqual({ e164, countryCode, nationalNumber });
    expect(parsePhone(e164)).toEqual({ e164, countryCode, nationalNumber });
  });

  it('gives one form to a number written with and without its trunk zero', () => {
    expect(parsePhone('+44 (0) 20 7946 0958')?.e164).toBe('+442079460958');
    expect(parsePhone('+44 20 7946 0958')?.e164).toBe('+442079460958');
  });

  it.each([
    ['', 'empty'],
    ['+', 'without digits'],
    ['5512345678', 'without a country code'],
    ['00525512345678', 'with an exit code'],
    ['+52551234567', 'one digit short'],
    ['+5255123456789', 'one digit long'],
    ['+5225512345678', 'with another digit where the old 1 was'],
    ['+9995512345678', 'of no country'],
    ['+52551234567a', 'with a letter'],
    ['+525512345678 ext. 12', 'with an extension'],
    ['tel:+525512345678', 'as an address'],
    ['+52/55/1234/5678', 'with slashes'],
    ['+52+5512345678', 'with a plus inside'],
    [' +525512345678', 'after a blank'],
    ['+525512345678 ', 'before a blank'],
    ['+ 525512345678', 'with a blank behind the plus'],
    ['+525512345678\n', 'before a line break'],
    ['+٥٢٥٥١٢٣٤٥٦٧٨', 'in Arabic digits'],
  ])('refuses %j, %s', (text) => {
    expect(parsePhone(text)).toBeUndefined();
  });

  it('refuses a very long text at once', () => {
    expect(parsePhone(`+52${' '.repeat(1_000_000)}x`)).toBeUndefined();
    expect(parsePhone(`+52${'1'.repeat(1_000_000)}`)).toBeUndefined();
  });
});
