import { describe, expect, it } from 'vitest';
import {
  getIssueTimeZone,
  getPlaceOfIssue,
  type IssuingStore,
  toIssueInstant,
} from '../../../shared/invoices/rules/place-of-issue.ts';

const branch = (zipcode: string, more: Partial<IssuingStore> = {}) => ({
  store: { zipcode, is_sat_branch: true, time_zone: null, ...more },
});

describe('the place of issue', () => {
  it.each([
    ['Tijuana', '22000', 'America/Tijuana'],
    ['Mexicali', '21000', 'America/Tijuana'],
    ['the end of Baja California', '22999', 'America/Tijuana'],
    ['Aguascalientes', '20999', 'America/Mexico_City'],
    ['La Paz', '23000', 'America/Mazatlan'],
    // Coahuila, each municipality of the border, and its neighbours.
    ['Saltillo', '25000', 'America/Mexico_City'],
    ['Piedras Negras', '26030', 'America/Matamoros'],
    ['El Moral, Piedras Negras', '26120', 'America/Matamoros'],
    ['Nava', '26170', 'America/Matamoros'],
    ['Acuña', '26200', 'America/Matamoros'],
    ['El Cedrito, Acuña', '26328', 'America/Matamoros'],
    ['Múzquiz', '26340', 'America/Mexico_City'],
    ['Jiménez', '26400', 'America/Matamoros'],
    ['Zaragoza', '26450', 'America/Matamoros'],
    ['Morelos', '26500', 'America/Matamoros'],
    ['Allende', '26530', 'America/Matamoros'],
    ['Villa Unión', '26600', 'America/Matamoros'],
    ['Guerrero, Coahuila', '26640', 'America/Matamoros'],
    ['Hidalgo', '26670', 'America/Matamoros'],
    ['Sabinas', '26700', 'America/Mexico_City'],
    ['Viesca', '27499', 'America/Mexico_City'],
    ['Ocampo', '27500', 'America/Matamoros'],
    ['Laguna del Rey, Ocampo', '27545', 'America/Matamoros'],
    ['Nadadores', '27550', 'America/Mexico_City'],
    // Chihuahua.
    ['Chihuahua', '31000', 'America/Chihuahua'],
    ['Nuevo Casas Grandes', '31810', 'America/Chihuahua'],
    ['Ascensión', '31820', 'America/Ciudad_Juarez'],
    ['Janos', '31840', 'America/Ciudad_Juarez'],
    ['Casas Grandes', '31850', 'America/Chihuahua'],
    ['Juárez', '32000', 'America/Ciudad_Juarez'],
    ['Samalayuca, Juárez', '32730', 'America/Ciudad_Juarez'],
    ['Guadalupe', '32740', 'America/Ciudad_Juarez'],
    ['Práxedis G. Guerrero', '32780', 'America/Ciudad_Juarez'],
    ['Ahumada', '32800', 'America/Chihuahua'],
    ['Coyame del Sotol', '32850', 'America/Ojinaga'],
    ['Ojinaga', '32880', 'America/Ojinaga'],
    ['Aldama', '32900', 'America/Chihuahua'],
    ['Julimes', '32950', 'America/Chihuahua'],
    ['Manuel Benavides', '32980', 'America/Ojinaga'],
    ['Delicias', '33000', 'America/Chihuahua'],
    // Nayarit.
    ['Tepic', '63000', 'America/Mazatlan'],
    ['Rincón de Guayabitos, Compostela', '63724', 'America/Mazatlan'],
    ['Lo de Marcos, Bahía de Banderas', '63729', 'America/Bahia_Banderas'],
    ['Nuevo Vallarta, Bahía de Banderas', '63735', 'America/Bahia_Banderas'],
    ['San Blas', '63740', 'America/Mazatlan'],
    // Nuevo León.
    ['Monterrey', '64000', 'America/Mexico_City'],
    ['Anáhuac', '65030', 'America/Matamoros'],
    ['Lampazos de Naranjo', '65070', 'America/Mexico_City'],
    ['Cancún', '77500', 'America/Cancun'],
    ['Culiacán', '80000', 'America/Mazatlan'],
    ['Hermosillo', '83000', 'America/Hermosillo'],
    ['Villahermosa', '86000', 'America/Mexico_City'],
    // Tamaulipas.
    ['Matamoros', '87300', 'America/Matamoros'],
    ['Valle Hermoso', '87500', 'America/Matamoros'],
    ['San Fernando', '87600', 'America/Mexico_City'],
    ['Ocampo, Tamaulipas', '87980', 'America/Mexico_City'],
    ['Nuevo Laredo', '88000', 'America/Matamoros'],
    ['Miguel Alemán', '88300', 'America/Matamoros'],
    ['Guerrero, Tamaulipas', '88370', 'America/Matamoros'],
    ['Mier', '88390', 'America/Matamoros'],
    ['Gustavo Díaz Ordaz', '88400', 'America/Matamoros'],
    ['Camargo', '88440', 'America/Matamoros'],
    ['Reynosa', '88500', 'America/Matamoros'],
    ['Nuevo Progreso, Río Bravo', '88810', 'America/Matamoros'],
    ['Méndez', '88880', 'America/Mexico_City'],
    ['Burgos', '88890', 'America/Mexico_City'],
    ['Río Bravo', '88900', 'America/Matamoros'],
    ['Tampico', '89000', 'America/Mexico_City'],
  ])('of a branch in %s (%s) has the time zone %s', (_, zipcode, timeZone) => {
    expect(getPlaceOfIssue(branch(zipcode))).toEqual({ expeditionZipcode: zipcode, timeZone });
  });

  it('has the time zone that is published of a branch', () => {
    const published = { expeditionZipcode: '32881', timeZone: 'America/Ojinaga' };
    expect(getPlaceOfIssue(branch('32881', { time_zone: 'America/Ojinaga' }))).toEqual(published);
  });

  it.each([
    ['a delivery', { store: null }],
    ['a store that is no branch', branch('22000', { is_sat_branch: false })],
  ])("is the issuer's own for %s", (_, order) => {
    expect(getPlaceOfIssue(order)).toEqual({ expeditionZipcode: null, timeZone: null });
    expect(getIssueTimeZone(order, {}, 'America/Monterrey')).toBe('America/Monterrey');
  });

  it("is the issuer's own for a credit note of a global invoice, whichever branch sold", () => {
    const zoneOf = (document: { globalZipcode?: string }) =>
      getIssueTimeZone(branch('22000'), document, 'America/Monterrey');
    expect([zoneOf({}), zoneOf({ globalZipcode: '06700' })]).toEqual(['America/Tijuana', 'America/Monterrey']);
  });
});

describe('toIssueInstant', () => {
  it.each([
    ['2026-12-01T00:30:00', 'America/Mexico_City', '2026-12-01T06:30:00.000Z'],
    ['2026-12-01T00:30:00', 'America/Tijuana', '2026-12-01T08:30:00.000Z'],
    ['2026-07-01T00:30:00', 'America/Tijuana', '2026-07-01T07:30:00.000Z'],
    ['2026-12-01T00:30:00.250', 'America/Cancun', '2026-12-01T05:30:00.000Z'],
    ['2026-12-01T00:30', 'America/Hermosillo', '2026-12-01T07:30:00.000Z'],
    ['2026-12-01 00:30:00', 'America/Mexico_City', '2026-12-01T06:30:00.000Z'],
    ['2026-12-01T00:30:00-0600', 'America/Tijuana', '2026-12-01T06:30:00.000Z'],
    ['2026-12-01T06:30:00.000Z', 'America/Tijuana', '2026-12-01T06:30:00.000Z'],
    ['2026-12-01T00:30:00-06:00', 'America/Tijuana', '2026-12-01T06:30:00.000Z'],
  ])('reads %s in %s as %s', (written, timeZone, instant) => {
    expect(toIssueInstant(written, timeZone)).toBe(instant);
  });

  it.each(['', 'hoy', '2026-12-01', '2026-13-01T00:30:00', 'Dec 1, 2026 00:30'])('refuses "%s"', (written) => {
    expect(() => toIssueInstant(written, 'America/Mexico_City')).toThrow(RangeError);
  });
});
