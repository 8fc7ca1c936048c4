import './frame.css';
import { type DocumentKey, findDocumentKey } from '../ui/document-keys.ts';
import type { FromFrame, ToFrame } from './messages.ts';
import { type OpenDocument, openDocument } from './open-document.ts';

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

// The keys of the page go on working while the frame has the focus.
addEventListener('keydown', (event) => {
  const key = findDocumentKey(event.key);
  if (key === undefined || event.ctrlKey || event.metaKey || event.altKey || isScrolling(key)) return;
  event.preventDefault();
  tell({ kind: 'key', key });
});
addEventListener('resize', () => wanted && showNext(wanted));

/** True if the key moves along a page that is wider than the frame, and not yet to the next page. */
function isScrolling(key: DocumentKey): boolean {
  const { scrollLeft, scrollWidth, clientWidth } = document.documentElement;
  if (key === 'ArrowLeft') return scrollLeft > 0;
  // On a scaled screen the last position can be a fraction of a pixel short of the end.
  return key === 'ArrowRight' && scrollLeft + clientWidth < scrollWidth - 1;
}

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
    document.documentElement.lang = asked.language;
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
