import type { RefObject } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { CallError, sendWithToken } from '../call.ts';
import { language } from '../preferences.ts';
import type { DocumentKey } from '../ui/document-keys.ts';
import { runShortcut } from '../ui/shortcuts.ts';
import { type FromFrame, type PageView, parseFromFrame, type ToFrame } from './messages.ts';

type Frame = RefObject<HTMLIFrameElement | null>;

/** `opening` until the frame has read the document; `failed` with what the server or the page has thrown. */
export type Shown =
  | { readonly state: 'opening' }
  | { readonly state: 'broken' }
  | { readonly state: 'failed'; readonly error: unknown }
  | { readonly state: 'open'; readonly pages: number; readonly isPageBroken: boolean };

// A document that is not opened or drawn by then is hostile, or as good as broken.
const PATIENCE_MS = 20_000;

/** Reads a document from the server, has the frame open it, and tells how far it is. */
export function useDocument(frame: Frame, path: string) {
  const [shown, setShown] = useState<Shown>({ state: 'opening' });
  const patience = useRef<ReturnType<typeof setTimeout>>(undefined);
  const startPatience = useCallback(() => {
    clearTimeout(patience.current);
    patience.current = setTimeout(() => setShown({ state: 'broken' }), PATIENCE_MS);
  }, []);
  useEffect(() => {
    const reading = readDocument(path);
    reading.catch((error: unknown) => setShown({ state: 'failed', error }));
    const listen = ({ source, origin, data }: MessageEvent<unknown>) => {
      if (origin !== 'null' || source === null || source !== frame.current?.contentWindow) return;
      const said = parseFromFrame(data);
      if (!said) return;
      if (said.kind === 'key') return runKey(said.key, frame.current);
      if (said.kind === 'ready') reading.then((bytes) => tellFrame(frame, { kind: 'open', bytes })).catch(() => {});
      else clearTimeout(patience.current);
      setShown((before) => hear(said, before));
    };
    startPatience();
    addEventListener('message', listen);
    return () => {
      clearTimeout(patience.current);
      removeEventListener('message', listen);
    };
  }, [frame, path, startPatience]);
  /** Has the frame draw a page with this text alternative. */
  const show = useCallback(
    (view: PageView, label: string) => {
      startPatience();
      tellFrame(frame, { kind: 'show', label, language: language.value, ...view });
    },
    [frame, startPatience],
  );
  return { shown, show };
}

/** Runs the shortcut of a key that was pressed in the frame, if it can have been: if it has the focus. Escape leaves it. */
function runKey(key: DocumentKey, frame: HTMLIFrameElement): void {
  if (document.activeElement !== frame) return;
  if (!runShortcut(key) && key === 'Escape') frame.blur();
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
const tellFrame = (frame: Frame, message: ToFrame): void => frame.current?.contentWindow?.postMessage(message, '*');
