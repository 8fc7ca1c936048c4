import { describe, expect, it } from 'vitest';
import { findStateOfZipcode, isMexico } from '../../../shared/people/rules/address.ts';
import { parsePhone } from '../../../shared/people/rules/roles.ts';

describe('isMexico', () => {
  it.each(['México', 'mexico', ' MÉXICO. ', 'Me\u0301xico', 'Méjico', 'MX', 'mex', 'M.X.', 'Estados Unidos Mexicanos'])(
    'knows %j',
    (country) => expect(isMexico(country)).toBe(true),
  );

  it.each(['Estados Unidos', 'EEUU', 'US', 'Guatemala', 'New Mexico', 'México 日本', 'm', '-'])(
    'does not take %j for it',
    (country) => expect(isMexico(country)).toBe(false),
  );
});

// The first and the last two digits of each state (SEPOMEX), its name, abbreviations in use and its code of ISO 3166-2.
const STATES = `
00-16 Ciudad de México|CDMX|D.F.|México, D.F.|Distrito Federal|Mexico City|MX-CMX
20-20 Aguascalientes|Ags.|AGU
21-22 Baja California|B.C.|Baja California Norte|MX-BCN
23-23 Baja California Sur|B.C.S.|MX-BCS
24-24 Campeche|Camp.|CAM
25-27 Coahuila|Coah.|Coahuila de Zaragoza|MX-COA
28-28 Colima|Col.|MX-COL
29-30 Chiapas|Chis.|MX-CHP
31-33 Chihuahua|Chih.|MX-CHH
34-35 Durango|Dgo.|MX-DUR
36-38 Guanajuato|Gto.|MX-GUA
39-41 Guerrero|Gro.|MX-GRO
42-43 Hidalgo|Hgo.|MX-HID
44-49 Jalisco|Jal.|Estado de Jalisco|Jalisco, México|mx-jal
50-57 Estado de México|Edoméx|Edo. de Méx.|EDO MEX|Méx.|MX-MEX
58-61 Michoacán|Mich.|Michoacán de Ocampo|MX-MIC
62-62 Morelos|Mor.|MX-MOR
63-63 Nayarit|Nay.|MX-NAY
64-67 Nuevo León|N.L.|NL|Nvo. León|MX-NLE
68-71 Oaxaca|Oax.|MX-OAX
72-75 Puebla|Pue.|Estado Libre y Soberano de Puebla|MX-PUE
76-76 Querétaro|Qro.|Querétaro de Arteaga|MX-QUE
77-77 Quintana Roo|Q. Roo|QRoo|MX-ROO
78-79 San Luis Potosí|S.L.P.|MX-SLP
80-82 Sinaloa|Sin.|MX-SIN
83-85 Sonora|Son.|MX-SON
86-86 Tabasco|Tab.|MX-TAB
87-89 Tamaulipas|Tamps.|MX-TAM
90-90 Tlaxcala|Tlax.|MX-TLA
91-96 Veracruz|Ver.|Veracruz de Ignacio de la Llave|MX-VER
97-97 Yucatán|YUC|MX-YUC
98-99 Zacatecas|ZAC.|MX-ZAC`
  .trim()
  .split('\n')
  .map((line) => ({ first: line.slice(0, 2), last: line.slice(3, 5), names: line.slice(6).split('|') }));

describe('findStateOfZipcode', () => {
  it.each(STATES)('knows $names.0 under $names', ({ first, last, names }) => {
    const [elsewhere, own] = first === '00' ? ['44100', 'Jalisco'] : ['06700', 'Ciudad de México'];
    for (const state of names) {
      const zipcodes = [`${first}000`, `${last}999`, elsewhere];
      const found = zipcodes.map((zipcode) => findStateOfZipcode({ state, zipcode }));
      expect([state, ...found]).toEqual([state, undefined, undefined, own]);
    }
  });

  it.each([
    ['México', '06700', undefined],
    ['México', '50000', undefined],
    ['México', '44100', 'Jalisco'],
    ['Estado de México', '06700', 'Ciudad de México'],
    ['Baja California', '23000', 'Baja California Sur'],
    ['BCS', '22000', 'Baja California'],
    // No state has these zip codes, and no state is called so.
    ['Jalisco', '17000', undefined],
    ['Jalisco', '19999', undefined],
    ['Guadalajara', '06700', undefined],
    ['Jalisco 2', '06700', undefined],
    ['', '06700', undefined],
    ['…', '06700', undefined],
  ])('of %j and %s is %s', (state, zipcode, found) => {
    expect(findStateOfZipcode({ state, zipcode })).toBe(found);
  });
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
    ['+', 'without digits'],
    ['5512345678', 'without a country code'],
    ['+52551234567', 'one digit short'],
    ['+5255123456789', 'one digit long'],
    ['+5225512345678', 'with another digit where the old 1 was'],
    ['+9995512345678', 'of no country'],
    ['+52551234567a', 'with a letter'],
    ['tel:+525512345678', 'as an address'],
    ['+52+5512345678', 'with a plus inside'],
    [' +525512345678', 'after a blank'],
    ['+٥٢٥٥١٢٣٤٥٦٧٨', 'in Arabic digits'],
  ])('refuses %j, %s', (text) => {
    expect(parsePhone(text)).toBeUndefined();
  });

  it('refuses a very long text at once', () => {
    expect(parsePhone(`+52${' '.repeat(1_000_000)}x`)).toBeUndefined();
    expect(parsePhone(`+52${'1'.repeat(1_000_000)}`)).toBeUndefined();
  });
});
