import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { CallError, sendWithToken } from '../call.ts';
import { language } from '../preferences.ts';
import type { FromFrame, PageView, ToFrame } from './messages.ts';

type Frame = RefObject<HTMLIFrameElement | null>;

/** `opening` until the frame has read the document; `failed` with what the server or the page has thrown. */
export type Shown =
  | { readonly state: 'opening' | 'broken' }
  | { readonly state: 'failed'; readonly error: unknown }
  | { readonly state: 'open'; readonly pages: number };

// A document that is not opened by then is hostile, or as good as broken.
const PATIENCE_MS = 20_000;

/** Reads a document from the server, has the frame open it, and tells how far it is. */
export function useDocument(frame: Frame, path: string): Shown {
  const [shown, setShown] = useState<Shown>({ state: 'opening' });
  useEffect(() => {
    const reading = readDocument(path);
    reading.catch((error: unknown) => setShown({ state: 'failed', error }));
    const timer = setTimeout(() => setShown(giveUp), PATIENCE_MS);
    const listen = ({ source, data }: MessageEvent<FromFrame>) => {
      if (source === null || source !== frame.current?.contentWindow) return;
      if (data.kind === 'ready')
        void reading.then((bytes) => tellFrame(frame, { kind: 'open', bytes })).catch(() => {});
      if (data.kind === 'opened') setShown({ state: 'open', pages: Math.max(1, Math.trunc(Number(data.pages)) || 1) });
      if (data.kind === 'broken') setShown({ state: 'broken' });
    };
    addEventListener('message', listen);
    return () => {
      clearTimeout(timer);
      removeEventListener('message', listen);
    };
  }, [frame, path]);
  return shown;
}

const giveUp = (shown: Shown): Shown => (shown.state === 'opening' ? { state: 'broken' } : shown);

async function readDocument(path: string): Promise<ArrayBuffer> {
  const response = await sendWithToken('GET', path);
  if (!response.ok) throw new CallError(await response.json());
  return response.arrayBuffer();
}

/** Has the frame draw a page with this text alternative. */
export const showPage = (frame: Frame, view: PageView, label: string): void =>
  tellFrame(frame, { kind: 'show', label, language: language.value, ...view });

// A frame of an opaque origin is only reached by any origin; what it gets is the document that it shows.
const tellFrame = (frame: Frame, message: ToFrame): void => frame.current?.contentWindow?.postMessage(message, '*');
