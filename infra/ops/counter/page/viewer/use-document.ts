import type { RefObject } from 'preact';
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { CallError, sendWithToken } from '../call.ts';
import { type FromFrame, type PageView, parseFromFrame, type ToFrame } from './messages.ts';

type Frame = RefObject<HTMLIFrameElement | null>;

/**
 * `opening` until the frame has read the document; `failed` with what the server or the page has thrown; `late` if the frame
 * took too long to answer.
 */
export type Shown =
  | { readonly state: 'opening' }
  | { readonly state: 'broken' }
  | { readonly state: 'late' }
  | { readonly state: 'failed'; readonly error: unknown }
  | { readonly state: 'open'; readonly pages: number; readonly isPageBroken: boolean };

/** Reads a document from the server, has the frame open it, and tells how far it is. */
export function useDocument(frame: Frame, path: string) {
  const [shown, setShown] = useState<Shown>({ state: 'opening' });
  const patience = useRef<Patience>(undefined);
  const ask = useCallback(
    (message: ToFrame) => {
      // There is no frame any more if it was given up, or the viewer is closed.
      if (!frame.current) return;
      patience.current?.start();
      tellFrame(frame.current, message);
    },
    [frame],
  );
  // The frame says only once that it is ready, which an effect could miss, as it waits until the page is painted.
  useLayoutEffect(() => {
    const waiting = openPatience(() => setShown({ state: 'late' }));
    patience.current = waiting;
    const reading = readDocument(path);
    reading.catch((error: unknown) => {
      waiting.stop();
      setShown({ state: 'failed', error });
    });
    const listen = ({ source, origin, data }: MessageEvent<unknown>) => {
      if (origin !== 'null' || source === null || source !== frame.current?.contentWindow) return;
      const said = parseFromFrame(data);
      if (!said) return;
      waiting.stop();
      if (said.kind === 'ready') reading.then((bytes) => ask({ kind: 'open', bytes })).catch(() => {});
      setShown((before) => hear(said, before));
    };
    // The frame has to say that it is ready.
    waiting.start();
    addEventListener('message', listen);
    return () => {
      waiting.close();
      removeEventListener('message', listen);
    };
  }, [frame, path, ask]);
  /** Has the frame draw a page with this text alternative. */
  const show = useCallback((view: PageView, label: string) => ask({ kind: 'show', label, ...view }), [ask]);
  return { shown, show };
}

/** Returns what is shown after a message of the frame. */
function hear(said: FromFrame, before: Shown): Shown {
  if (said.kind === 'broken') return { state: 'broken' };
  if (said.kind === 'opened') {
    return { state: 'open', pages: said.pages, isPageBroken: false };
  }
  return before.state === 'open' ? { ...before, isPageBroken: said.kind === 'undrawn' } : before;
}

async function readDocument(path: string): Promise<ArrayBuffer> {
  const response = await sendWithToken('GET', path);
  if (!response.ok) throw new CallError(await response.json());
  return response.arrayBuffer();
}

// A frame of an opaque origin is only reached by any origin; what it gets is the document that it shows.
const tellFrame = ({ contentWindow }: HTMLIFrameElement, message: ToFrame): void =>
  contentWindow?.postMessage(message, '*');

/** Waits for the answers of a frame to what it is asked. */
type Patience = {
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
function openPatience(giveUp: () => void): Patience {
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
