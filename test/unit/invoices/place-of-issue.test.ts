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
  // Municipalities of the border and their neighbours in another zone.
  it.each([
    ['America/Tijuana', '22000 21000 22999'],
    ['America/Mexico_City', '20999 25000 26340 26700 27499 27550 64000 65070 86000 87600 87980 88880 88890 89000'],
    ['America/Mazatlan', '23000 63000 63724 63740 80000'],
    [
      'America/Matamoros',
      '26030 26120 26170 26200 26328 26400 26450 26500 26530 26600 26640 26670 27500 27545 65030 87300 87500 88000 88300 88370 88390 88400 88440 88500 88810 88900',
    ],
    ['America/Chihuahua', '31000 31810 31850 32800 32900 32950 33000'],
    ['America/Ciudad_Juarez', '31820 31840 32000 32730 32740 32780'],
    ['America/Ojinaga', '32850 32880 32980'],
    ['America/Bahia_Banderas', '63729 63735'],
    ['America/Cancun', '77500'],
    ['America/Hermosillo', '83000'],
  ])('of a branch has the time zone %s in %s', (timeZone, zipcodes) => {
    for (const zipcode of zipcodes.split(' '))
      expect(getPlaceOfIssue(branch(zipcode))).toEqual({ expeditionZipcode: zipcode, timeZone });
  });

  it('has the time zone that is published of a branch', () => {
    const published = { expeditionZipcode: '22000', timeZone: 'America/Ojinaga' };
    expect(getPlaceOfIssue(branch('22000', { time_zone: 'America/Ojinaga' }))).toEqual(published);
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
