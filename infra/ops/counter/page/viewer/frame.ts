import './frame.css';
import { type OpenDocument, openDocument } from './open-document.ts';
import type { FromFrame, ToFrame } from './use-document.ts';

// The script of the frame in which a document is drawn. It has no origin, no token and no network.

// The page that shows the frame is its only possible parent, by the policy of the frame.
const tell = (message: FromFrame): void => parent.postMessage(message, '*');

let opened: OpenDocument | undefined;
let wanted: Extract<ToFrame, { kind: 'show' }> | undefined;
let isDrawing = false;

addEventListener('message', (event: MessageEvent<ToFrame>) => {
  if (event.source !== parent) return;
  const asked = event.data;
  if (asked.kind === 'open') void open(asked.bytes);
  else showNext(asked);
});
// Tab passes over a frame in which nothing takes the focus, and the arrows scroll only what has it.
document.body.tabIndex = 0;

addEventListener('resize', () => wanted && showNext(wanted));

async function open(bytes: ArrayBuffer): Promise<void> {
  try {
    opened = await openDocument(new Uint8Array(bytes));
    tell({ kind: 'opened', pages: opened.pages });
  } catch {
    tell({ kind: 'broken' });
  }
}

/** Draws a page when the one before is drawn; of several that were asked for meanwhile, only the last one. */
function showNext(asked: typeof wanted): void {
  wanted = asked;
  if (!isDrawing) void drawWanted();
}

async function drawWanted(): Promise<void> {
  isDrawing = true;
  for (let drawn: typeof wanted; drawn !== wanted; ) {
    drawn = wanted;
    await draw(drawn);
  }
  isDrawing = false;
}

async function draw(asked: typeof wanted): Promise<void> {
  if (!opened || !asked) return;
  try {
    const canvas = await opened.draw(asked, document.documentElement.clientWidth);
    canvas.style.width = `${100 * asked.zoom}%`;
    canvas.role = 'img';
    canvas.ariaLabel = asked.label;
    document.body.replaceChildren(canvas);
    answer(asked, { kind: 'shown' });
  } catch {
    document.body.replaceChildren();
    answer(asked, { kind: opened.pages > 1 ? 'undrawn' : 'broken' });
  }
}

/** Answers, unless another page was asked for meanwhile: the page waits for that one. */
function answer(asked: typeof wanted, message: FromFrame): void {
  if (asked === wanted) tell(message);
}

tell({ kind: 'ready' });
