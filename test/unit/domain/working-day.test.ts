import { describe, expect, it } from 'vitest';
import {
  type BusinessCalendar,
  deliveryDates,
  localDate,
  startOfNextMonth,
  toInstant,
  toMonthInstants,
} from '../../../shared/domain/working-day.ts';

// November 2026: the 16th is a holiday and a Monday, the 21st a Saturday.
const HOLIDAYS = new Set(['2026-11-16', '2026-12-25', '2027-01-01']);
const MEXICO_CITY: BusinessCalendar = { timeZone: 'America/Mexico_City', cutoff: '14:00', holidays: HOLIDAYS };
const TIJUANA: BusinessCalendar = { ...MEXICO_CITY, timeZone: 'America/Tijuana' };

function dates(now: string, min: number | null, max: number | null, calendar = MEXICO_CITY): (string | null)[] {
  const promised = deliveryDates({ now: new Date(now), calendar, min_delivery_days: min, max_delivery_days: max });
  return [promised.expectedDeliveryDate, promised.maxDeliveryDate].map((date) => date?.toISOString() ?? null);
}

describe('deliveryDates in Mexico City (UTC−6)', () => {
  it.each([
    ['a millisecond before the cut-off: today', '2026-11-17T19:59:59.999Z', 1, 3, '11-18', '11-20'],
    ['at the cut-off: tomorrow', '2026-11-17T20:00:00.000Z', 1, 3, '11-19', '11-23'],
    ['before midnight, when UTC is a day ahead', '2026-11-18T05:30:00.000Z', 1, 2, '11-19', '11-20'],
    ['on a Saturday: Monday', '2026-11-21T16:00:00.000Z', 0, 1, '11-23', '11-24'],
    ['on a Sunday after the cut-off: Monday', '2026-11-22T23:00:00.000Z', 0, 1, '11-23', '11-24'],
    ['on a holiday: the next day', '2026-11-16T15:00:00.000Z', 0, 2, '11-17', '11-19'],
    ['on a Friday before a holiday', '2026-11-13T16:00:00.000Z', 0, 1, '11-13', '11-17'],
    ['on a Friday after the cut-off, before a holiday', '2026-11-13T21:00:00.000Z', 0, 1, '11-17', '11-18'],
    ['no days before the cut-off: today itself', '2026-11-17T16:00:00.000Z', 0, 0, '11-17', '11-17'],
    ['no days after the cut-off: tomorrow itself', '2026-11-17T21:00:00.000Z', 0, 0, '11-18', '11-18'],
    // Of Thursday 31 December: 1 January is a holiday, 2 and 3 a weekend.
    ['beyond the end of the year', '2026-12-31T16:00:00.000Z', 1, 2, '2027-01-04', '2027-01-05'],
  ])('counts %s', (_, now, min, max, ...expected) => {
    const toInstants = expected.map((date) => `${date.length > 5 ? date : `2026-${date}`}T23:00:00.000Z`);
    expect(dates(now, min, max)).toEqual(toInstants);
  });

  it('follows another cut-off', () => {
    const late = { ...MEXICO_CITY, cutoff: '18:30' };
    expect(dates('2026-11-18T00:29:59.000Z', 0, null, late)).toEqual(['2026-11-17T23:00:00.000Z', null]);
    expect(dates('2026-11-18T00:30:00.000Z', 0, null, late)).toEqual(['2026-11-18T23:00:00.000Z', null]);
  });

  it('gives null for null days, independently for each date', () => {
    expect(dates('2026-11-17T16:00:00.000Z', null, 1)).toEqual([null, '2026-11-18T23:00:00.000Z']);
    expect(dates('2026-11-17T16:00:00.000Z', 1, null)).toEqual(['2026-11-18T23:00:00.000Z', null]);
  });
});

describe('deliveryDates in Tijuana, where clocks are changed', () => {
  it('promises 17:00 on both sides of the change', () => {
    // Friday 30 October 2026, 10:00 PDT; clocks go back on Sunday 1 November
    expect(dates('2026-10-30T17:00:00.000Z', 0, 1, TIJUANA)).toEqual([
      '2026-10-31T00:00:00.000Z',
      '2026-11-03T01:00:00.000Z',
    ]);
  });

  it('cuts off at 14:00 by the clock on the wall, in summer and in winter', () => {
    const expected = (now: string) => dates(now, 0, null, TIJUANA)[0];
    expect(expected('2026-07-14T20:59:59.000Z')).toBe('2026-07-15T00:00:00.000Z');
    expect(expected('2026-07-14T21:00:00.000Z')).toBe('2026-07-16T00:00:00.000Z');
    expect(expected('2026-11-17T21:59:59.000Z')).toBe('2026-11-18T01:00:00.000Z');
    expect(expected('2026-11-17T22:00:00.000Z')).toBe('2026-11-19T01:00:00.000Z');
  });
});

describe('localDate', () => {
  it.each([
    ['2026-11-21T05:59:59.999Z', 'America/Mexico_City', '2026-11-20'],
    ['2026-11-21T06:00:00.000Z', 'America/Mexico_City', '2026-11-21'],
    ['2027-01-01T05:30:00.000Z', 'America/Mexico_City', '2026-12-31'],
  ])('of %s in %s is %s', (instant, timeZone, date) => {
    expect(localDate(new Date(instant), timeZone)).toBe(date);
  });

  it('refuses an unknown zone and an invalid instant', () => {
    expect(() => localDate(new Date('2026-11-21T06:00:00.000Z'), 'America/Macondo')).toThrow(RangeError);
    expect(() => localDate(new Date('never'), 'America/Mexico_City')).toThrow(RangeError);
  });
});

describe('the first instant of the next month', () => {
  it.each([
    ['2026-11-23T18:00:00.000Z', 'America/Mexico_City', '2026-12-01T06:00:00.000Z'],
    // At 23:59:59.999 of the 30th in Mexico City it is December in UTC.
    ['2026-12-01T05:59:59.999Z', 'America/Mexico_City', '2026-12-01T06:00:00.000Z'],
    ['2026-12-01T06:00:00.000Z', 'America/Mexico_City', '2027-01-01T06:00:00.000Z'],
    // Tijuana puts its clocks back on 1 November, after midnight.
    ['2026-11-01T07:30:00.000Z', 'America/Tijuana', '2026-12-01T08:00:00.000Z'],
    ['2026-10-31T20:00:00.000Z', 'America/Tijuana', '2026-11-01T07:00:00.000Z'],
  ])('after %s in %s is %s', (instant, timeZone, expected) => {
    expect(startOfNextMonth(new Date(instant), timeZone).toISOString()).toBe(expected);
  });
});

describe('toInstant', () => {
  it.each([
    ['2026-11-21', '17:00', 'America/Mexico_City', '2026-11-21T23:00:00.000Z'],
    ['2026-11-21', '23:59:59', 'America/Mexico_City', '2026-11-22T05:59:59.000Z'],
    ['2026-11-21', '24:00', 'America/Mexico_City', '2026-11-22T06:00:00.000Z'],
    ['2026-07-15', '12:00', 'America/Tijuana', '2026-07-15T19:00:00.000Z'],
    ['2026-11-21', '12:00', 'Asia/Kathmandu', '2026-11-21T06:15:00.000Z'],
    // Mexico City still changed its clocks in 2022
    ['2022-07-21', '17:00', 'America/Mexico_City', '2022-07-21T22:00:00.000Z'],
  ])('finds %s %s in %s', (date, time, timeZone, instant) => {
    expect(toInstant(date, time, timeZone).toISOString()).toBe(instant);
  });

  it.each([
    ['2026-03-08', '01:59:59', '2026-03-08T09:59:59.000Z'],
    ['2026-03-08', '03:00', '2026-03-08T10:00:00.000Z'],
    ['2026-11-01', '00:59:59', '2026-11-01T07:59:59.000Z'],
    ['2026-11-01', '02:00', '2026-11-01T10:00:00.000Z'],
    // A skipped time counts on from before the change; of a time that comes twice it is the earlier one.
    ['2026-03-08', '02:30', '2026-03-08T10:30:00.000Z'],
    ['2026-11-01', '01:30', '2026-11-01T08:30:00.000Z'],
  ])('finds %s %s in Tijuana, beside a change of clocks', (date, time, instant) => {
    expect(toInstant(date, time, 'America/Tijuana').toISOString()).toBe(instant);
  });

  it('refuses a text that is no date', () => {
    expect(() => toInstant('21/11/2026', '17:00', 'America/Mexico_City')).toThrow(RangeError);
  });
});

describe('toMonthInstants', () => {
  it.each([
    ['2026-11', 'America/Mexico_City', '2026-11-01T06:00:00.000Z', '2026-12-01T06:00:00.000Z'],
    // Clocks go back there on 1 November 2026 at two.
    ['2026-10', 'America/Tijuana', '2026-10-01T07:00:00.000Z', '2026-11-01T07:00:00.000Z'],
  ])('%s in %s', (month, timeZone, from, until) => {
    expect(toMonthInstants(month, timeZone)).toEqual({ from: new Date(from), until: new Date(until) });
  });
});
