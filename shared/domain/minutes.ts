const MINUTE_MS = 60_000;

/** Returns the time (`2026-11-21T23:00:00.000Z`) that many minutes after an instant. */
export const addMinutes = (instant: Date, minutes: number): string =>
  new Date(instant.getTime() + minutes * MINUTE_MS).toISOString();
