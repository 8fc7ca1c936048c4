let read = (): Date => new Date();

/** The present instant; everything that depends on the time of day asks here. */
export const now = (): Date => read();

/** Lets a test stand at an instant of its choice; without one, the real time goes on. */
export function setClock(instant?: Date): void {
  read = instant ? () => new Date(instant) : () => new Date();
}
