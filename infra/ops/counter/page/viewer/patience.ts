/** Waits for the answers of a frame to what it is asked. */
export type Patience = {
  /** The frame was asked for something: counts anew. */
  start(): void;
  /** The frame has answered: counts no more. */
  stop(): void;
  close(): void;
};

// A document that is not opened or drawn by then is hostile, or as good as broken.
const PATIENCE_MS = 20_000;

/**
 * Gives up when a frame takes too long to answer. Nothing counts while the page is hidden, as a browser draws nothing in it;
 * when it is visible again, the frame has the whole time again.
 */
export function openPatience(giveUp: () => void): Patience {
  let isAsked = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const count = () => {
    clearTimeout(timer);
    if (isAsked && document.visibilityState === 'visible') timer = setTimeout(giveUp, PATIENCE_MS);
  };
  const stop = () => {
    isAsked = false;
    count();
  };
  document.addEventListener('visibilitychange', count);
  return {
    start() {
      isAsked = true;
      count();
    },
    stop,
    close() {
      document.removeEventListener('visibilitychange', count);
      stop();
    },
  };
}
