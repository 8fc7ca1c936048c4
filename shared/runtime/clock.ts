let read = (): Date => new Date();

/** Returns the present time; everything that depends on the time asks here. */
export const now = (): Date => read();

/** Stops the clock at an instant, for tests; without one, the real time goes on. */
export function setClock(instant?: Date): void {
  read = instant ? () => new Date(instant) : () => new Date();
}
