import type { RefObject } from 'preact';
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { CallError, sendWithToken } from '../call.ts';

// The messages between the page and the frame of a document. The frame has an origin of its own, and what it says is not
// trusted: the most that a hostile document could make it say is that it has other pages, or none.

/** `show` draws one page, counted from 1; a zoom of 1 fits its width into the frame. */
export type ToFrame =
  | { readonly kind: 'open'; readonly bytes: ArrayBuffer }
  | ({ readonly kind: 'show'; readonly label: string } & PageView);
export type PageView = { readonly page: number; readonly zoom: number; readonly quarterTurns: number };

const STATES = ['ready', 'shown', 'undrawn', 'broken'] as const;

/** `broken`: the document is no picture or PDF that can be drawn; `undrawn`: one of its pages cannot be. */
export type FromFrame =
  | { readonly kind: (typeof STATES)[number] }
  | { readonly kind: 'opened'; readonly pages: number };

/** Returns what the frame says, or undefined for whatever it should not say. */
export function parseFromFrame(data: unknown): FromFrame | undefined {
  const { kind, pages }: Readonly<Record<string, unknown>> = Object(data);
  if (kind === 'opened') return isPageCount(pages) ? { kind, pages } : undefined;
  const state = STATES.find((each) => each === kind);
  return state && { kind: state };
}

const isPageCount = (pages: unknown): pages is number => Number.isSafeInteger(pages) && Number(pages) >= 1;

type Frame = RefObject<HTMLIFrameElement | null>;

/**
 * `opening` until the frame has read the document; `failed` with what the server or the page has thrown; `late` if the frame
 * took too long to answer.
 */
export type Shown =
  | { readonly state: 'opening' | 'broken' | 'late' }
  | { readonly state: 'failed'; readonly error: unknown }
  | { readonly state: 'open'; readonly pages: number; readonly isPageBroken: boolean };

/** Reads a document from the server, has the frame open it, and tells how far it is. */
export function useDocument(frame: Frame, path: string) {
  const [shown, setShown] = useState<Shown>({ state: 'opening' });
  const patience = useRef<ReturnType<typeof openPatience>>(undefined);
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

function hear(said: FromFrame, before: Shown): Shown {
  if (said.kind === 'broken') return { state: 'broken' };
  if (said.kind === 'opened') return { state: 'open', pages: said.pages, isPageBroken: false };
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

// A document that is not opened or drawn by then is hostile, or as good as broken.
const PATIENCE_MS = 20_000;

/**
 * Counts how long the frame takes to answer what it is asked. Nothing counts while the page is hidden, as a browser draws
 * nothing in it; when it is visible again, the frame has the whole time again.
 */
function openPatience(giveUp: () => void) {
  let isAsked = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const count = () => {
    clearTimeout(timer);
    if (isAsked && document.visibilityState === 'visible') timer = setTimeout(giveUp, PATIENCE_MS);
  };
  const set = (asked: boolean) => {
    isAsked = asked;
    count();
  };
  document.addEventListener('visibilitychange', count);
  return {
    start: () => set(true),
    stop: () => set(false),
    close() {
      document.removeEventListener('visibilitychange', count);
      set(false);
    },
  };
}
