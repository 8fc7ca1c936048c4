import { describe, expect, it } from 'vitest';
import {
  getIssueTimeZone,
  getPlaceOfIssue,
  type IssuingStore,
  toIssueInstant,
} from '../../../shared/domain/invoices/place-of-issue.ts';

const branch = (zipcode: string, more: Partial<IssuingStore> = {}) => ({
  store: { zipcode, is_sat_branch: true, time_zone: null, ...more },
});

describe('the place of issue', () => {
  it.each([
    ['22000', 'America/Tijuana'],
    ['21000', 'America/Tijuana'],
    ['22999', 'America/Tijuana'],
    ['20999', 'America/Mexico_City'],
    ['23000', 'America/Mazatlan'],
    ['26030', 'America/Matamoros'],
    ['26100', 'America/Mexico_City'],
    ['31000', 'America/Chihuahua'],
    ['32000', 'America/Ciudad_Juarez'],
    ['32700', 'America/Chihuahua'],
    ['63000', 'America/Mazatlan'],
    ['63735', 'America/Bahia_Banderas'],
    ['64000', 'America/Mexico_City'],
    ['77500', 'America/Cancun'],
    ['80000', 'America/Mazatlan'],
    ['83000', 'America/Hermosillo'],
    ['86000', 'America/Mexico_City'],
    ['88500', 'America/Matamoros'],
  ])('of a branch in %s has the time zone %s', (zipcode, timeZone) => {
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
