export const MINUTE_MS = 60_000;

/** A request lasts 10 s at most, so after a minute nobody else is waiting for the provider. */
export const FIRST_LOOK_MINUTES = 1;

// The receiver has three days to answer SAT (RMF 2.7.1.34), and a provider may be down for a night.
const LONGEST_PAUSE_MINUTES = 60;

/** Returns the pause after this many checks or attempts: 2, 4, 8 … minutes, at most an hour. */
export const getPauseMinutes = (before: number): number => Math.min(2 ** (before + 1), LONGEST_PAUSE_MINUTES);
