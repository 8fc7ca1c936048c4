import type { RefObject } from 'preact';
import { useCallback, useLayoutEffect, useState } from 'preact/hooks';
import { CallError, isTabSeen, sendWithToken } from '../call.ts';

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

/**
 * A document without pages is still being opened, or with an error, was given up. The error of a document with pages is that of
 * the page which is looked at.
 */
type Shown = { readonly pages: number; readonly error?: unknown };

// The name stands in plain sight in every encrypted PDF (ISO 32000-1, 7.6.1).
const isEncryptedPdf = (bytes: ArrayBuffer): boolean => /\/Encrypt\b/.test(new TextDecoder('latin1').decode(bytes));

const FAULTS = {
  broken: 'El documento no se puede mostrar: está dañado o no es una imagen ni un PDF que se pueda dibujar.',
  late: 'El documento no se puede mostrar: tardó demasiado en abrirse o en dibujarse.',
  undrawn: 'Esta página no se puede mostrar: está dañada, o es una imagen que no se puede dibujar.',
};
const toError = (code: keyof typeof FAULTS): CallError => new CallError({ code, text: FAULTS[code] });

/** Reads a document from the server, has the frame open it, and tells how far it is. */
export function useDocument(frame: RefObject<HTMLIFrameElement | null>, path: string) {
  const [shown, setShown] = useState<Shown>({ pages: 0 });
  const [isProtected, setProtected] = useState(false);
  // The request that the frame has not answered yet; the first one asks it to say that it is ready.
  const [asked, setAsked] = useState<object | undefined>({});
  const ask = useCallback(
    (message: ToFrame) => {
      setAsked(message);
      // A frame of an opaque origin is only reached by any origin; what it gets is the document that it shows.
      frame.current?.contentWindow?.postMessage(message, '*');
    },
    [frame],
  );
  usePatience(asked, () => setShown({ pages: 0, error: toError('late') }));
  // The frame says only once that it is ready, which an effect could miss, as it waits until the page is painted.
  useLayoutEffect(() => {
    const reading = readDocument(path);
    reading.then(
      (bytes) => setProtected(isEncryptedPdf(bytes)),
      (error: unknown) => {
        setAsked(undefined);
        setShown({ pages: 0, error });
      },
    );
    const listen = ({ source, origin, data }: MessageEvent<unknown>) => {
      if (origin !== 'null' || source === null || source !== frame.current?.contentWindow) return;
      const said = parseFromFrame(data);
      if (!said) return;
      setAsked(undefined);
      if (said.kind === 'ready') reading.then((bytes) => ask({ kind: 'open', bytes })).catch(() => {});
      else if (said.kind === 'broken') setShown({ pages: 0, error: toError('broken') });
      else if (said.kind === 'opened') setShown({ pages: said.pages });
      else setShown(({ pages }) => ({ pages, error: said.kind === 'undrawn' ? toError(said.kind) : undefined }));
    };
    addEventListener('message', listen);
    return () => removeEventListener('message', listen);
  }, [frame, path, ask]);
  return { ...shown, isProtected, ask };
}

async function readDocument(path: string): Promise<ArrayBuffer> {
  const response = await sendWithToken('GET', path);
  if (!response.ok) throw new CallError(await response.json());
  return response.arrayBuffer();
}

// A document that is not opened or drawn by then is hostile, or as good as broken.
const PATIENCE_MS = 20_000;

/**
 * Gives up if the frame does not answer in time what it is asked. Nothing counts while the page is hidden, as a browser draws
 * nothing in it; when it is visible again, the frame has the whole time again.
 */
function usePatience(asked: object | undefined, giveUp: () => void): void {
  const isSeen = isTabSeen.value;
  useLayoutEffect(() => {
    if (!asked || !isSeen) return;
    const timer = window.setTimeout(giveUp, PATIENCE_MS);
    return () => window.clearTimeout(timer);
  }, [asked, isSeen]);
}
