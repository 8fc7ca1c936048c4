import type { RefObject } from 'preact';
import { useCallback, useLayoutEffect, useState } from 'preact/hooks';
import { CallError, callServer, isTabSeen } from '../ui/server.ts';

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
  const state = STATES.find((each) => each === kind);
  if (state) return { kind: state };
  return kind === 'opened' && typeof pages === 'number' && pages >= 1 ? { kind, pages } : undefined;
}

/** Without pages the document is being opened, or was given up with an error; else the error is that of the page shown. */
type Shown = { readonly pages: number; readonly error?: unknown };

const FLATE_ALONE = /\/Filter\s*(?:\/FlateDecode\b|\[\s*\/FlateDecode\s*\])/;

/**
 * True for a PDF into which the check of its upload could not look (`shared/prescriptions/rules/document.ts`): an encrypted one,
 * which says so in plain sight (ISO 32000-1, 7.6.1), or one with objects that are not compressed by Flate alone.
 */
function isUnreadPdf(pdf: string): boolean {
  if (/\/Encrypt\b/.test(pdf)) return true;
  const dictionaries = pdf.split(/\bstream\r?\n/).map((part) => unescapeNames(part.slice(part.lastIndexOf(' obj'))));
  const objects = dictionaries.filter((dictionary) => /\/ObjStm\b/.test(dictionary));
  return objects.some((dictionary) => !FLATE_ALONE.test(dictionary) || /\/Predictor\b/.test(dictionary));
}

const unescapeNames = (text: string): string =>
  text.replace(/#([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));

const FAULTS = {
  broken: 'El documento no se puede mostrar: está dañado o no es una imagen ni un PDF que se pueda dibujar.',
  late: 'El documento no se puede mostrar: tardó demasiado en abrirse o en dibujarse.',
  undrawn: 'Esta página no se puede mostrar: está dañada, o es una imagen que no se puede dibujar.',
};
const toError = (fault: keyof typeof FAULTS): CallError => new CallError({ text: FAULTS[fault] });

export function useDocument(frame: RefObject<HTMLIFrameElement | null>, path: string) {
  const [shown, setShown] = useState<Shown>({ pages: 0 });
  const [isProtected, setProtected] = useState(false);
  // The request that the frame has not answered yet; the first one asks it to say that it is ready.
  const [request, setRequest] = useState<object | undefined>({});
  const ask = useCallback(
    (message: ToFrame) => {
      setRequest(message);
      // A frame of an opaque origin is only reached by any origin; what it gets is the document that it shows.
      frame.current?.contentWindow?.postMessage(message, '*');
    },
    [frame],
  );
  usePatience(request, () => setShown({ pages: 0, error: toError('late') }));
  // The frame says only once that it is ready, which an effect could miss, as it waits until the page is painted.
  useLayoutEffect(() => {
    const reading = callServer(path).then((response) => response.arrayBuffer());
    reading.then(
      (bytes) => setProtected(isUnreadPdf(new TextDecoder('latin1').decode(bytes))),
      (error: unknown) => {
        setRequest(undefined);
        setShown({ pages: 0, error });
      },
    );
    const listen = ({ source, origin, data }: MessageEvent<unknown>) => {
      const message = parseFromFrame(data);
      if (!message || origin !== 'null' || source === null || source !== frame.current?.contentWindow) return;
      setRequest(undefined);
      if (message.kind === 'ready') reading.then((bytes) => ask({ kind: 'open', bytes })).catch(() => {});
      else setShown(({ pages }) => toShown(message, pages));
    };
    addEventListener('message', listen);
    return () => removeEventListener('message', listen);
  }, [frame, path, ask]);
  return { ...shown, isProtected, ask };
}

function toShown(message: FromFrame, pages: number): Shown {
  if (message.kind === 'opened') return { pages: message.pages };
  if (message.kind === 'broken') return { pages: 0, error: toError('broken') };
  return { pages, error: message.kind === 'undrawn' ? toError('undrawn') : undefined };
}

// A document that is not opened or drawn by then is hostile, or as good as broken.
const PATIENCE_MS = 20_000;

/** Gives up if the frame does not answer in time; nothing counts while the page is hidden, as a browser draws nothing in it. */
function usePatience(request: object | undefined, giveUp: () => void): void {
  const isSeen = isTabSeen.value;
  useLayoutEffect(() => {
    if (!request || !isSeen) return;
    const timer = window.setTimeout(giveUp, PATIENCE_MS);
    return () => window.clearTimeout(timer);
  }, [request, isSeen]);
}
