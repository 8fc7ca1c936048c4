import './frame.css';
import { getDocument, OPS, type PDFPageProxy } from 'unpdf/pdfjs';
import type { FromFrame, PageView, ToFrame } from './use-document.ts';

// The script of the frame in which a document is drawn. It has no origin, no token and no network.

type ShowRequest = Extract<ToFrame, { kind: 'show' }>;

type OpenDocument = { readonly pages: number; draw(view: PageView, width: number): Promise<HTMLCanvasElement> };

let current: OpenDocument | undefined;
let request: ShowRequest | undefined;
let drawing = Promise.resolve();

// The page that shows the frame is its only possible parent, by the policy of the frame.
const tell = (message: FromFrame): void => parent.postMessage(message, '*');

addEventListener('message', ({ source, data }: MessageEvent<ToFrame>) => {
  if (source !== parent) return;
  if (data.kind === 'open') void open(data.bytes);
  else showNext(data);
});
// Tab passes over a frame in which nothing takes the focus, and the arrows scroll only what has it.
document.body.tabIndex = 0;
addEventListener('resize', () => request && showNext({ ...request }));

async function open(bytes: ArrayBuffer): Promise<void> {
  current = await openDocument(new Uint8Array(bytes)).catch(() => undefined);
  tell(current ? { kind: 'opened', pages: current.pages } : { kind: 'broken' });
}

/** Draws a page when the one before is drawn; of several that were asked for meanwhile, only the last one. */
function showNext(latest: ShowRequest): void {
  request = latest;
  drawing = drawing.then(() => (latest === request && current ? show(latest, current) : undefined));
}

/** Draws a page and answers, unless another one was asked for meanwhile, which the reader waits for. */
async function show(view: ShowRequest, { pages, draw }: OpenDocument): Promise<void> {
  const canvas = await draw(view, document.documentElement.clientWidth).catch(() => undefined);
  if (canvas) {
    canvas.style.width = `${100 * view.zoom}%`;
    Object.assign(canvas, { role: 'img', ariaLabel: view.label });
  }
  document.body.replaceChildren(...(canvas ? [canvas] : []));
  if (view !== request) return;
  if (canvas) tell({ kind: 'shown' });
  else tell({ kind: pages > 1 ? 'undrawn' : 'broken' });
}

// A PDF may begin with up to 1,024 other bytes, so that it is what is no picture.
async function openDocument(file: Uint8Array<ArrayBuffer>): Promise<OpenDocument> {
  const picture = await createImageBitmap(new Blob([file])).catch(() => undefined);
  return picture ? toDocument(picture) : openPdf(file);
}

async function openPdf(data: Uint8Array): Promise<OpenDocument> {
  // Nothing is evaluated or fetched: the policy of the frame refuses both, and this saves the attempts.
  const loading = { data, isEvalSupported: false, useWorkerFetch: false, useWasm: false, enableXfa: false };
  const pdf = await getDocument({ ...loading, verbosity: 0 }).promise;
  return {
    pages: pdf.numPages,
    async draw({ page: number, zoom, quarterTurns }, width) {
      const page = await pdf.getPage(number);
      const rotation = (page.rotate + quarterTurns * 90) % 360;
      const scale = chooseScale(page.getViewport({ scale: 1, rotation }), width * zoom);
      const viewport = page.getViewport({ scale, rotation });
      const { canvas } = createCanvas(viewport);
      await page.render({ canvas, viewport }).promise;
      if (await lacksPicture(page)) throw new Error('a picture could not be decoded');
      return canvas;
    },
  };
}

/** True if a picture could not be decoded: pdf.js leaves it out, and nobody should take a page for a blank one. */
async function lacksPicture(page: PDFPageProxy): Promise<boolean> {
  const { fnArray, argsArray } = await page.getOperatorList();
  return fnArray.some((operator, index) => {
    if (operator !== OPS.paintImageXObject) return false;
    const name = String(argsArray[index]?.[0]);
    const objects = name.startsWith('g_') ? page.commonObjs : page.objs;
    return !objects.has(name) || objects.get(name) === null;
  });
}

function toDocument(picture: ImageBitmap): OpenDocument {
  const { width, height } = picture;
  return {
    pages: 1,
    async draw({ zoom, quarterTurns }, frameWidth) {
      const turned = quarterTurns % 2 === 0 ? { width, height } : { width: height, height: width };
      const scale = chooseScale(turned, frameWidth * zoom);
      const { canvas, context } = createCanvas({ width: turned.width * scale, height: turned.height * scale });
      context.translate(canvas.width / 2, canvas.height / 2);
      context.rotate((quarterTurns * Math.PI) / 2);
      context.scale(scale, scale);
      context.drawImage(picture, -width / 2, -height / 2);
      return canvas;
    },
  };
}

type Size = { readonly width: number; readonly height: number };

// A canvas of more pixels takes hundreds of MB, and browsers refuse it.
const MOST_PIXELS = 16_000_000;

/** Returns the pixels of a canvas per unit of a page that is to have this width, on a screen of this density. */
const chooseScale = ({ width, height }: Size, target: number): number =>
  Math.min((target * devicePixelRatio) / width, Math.sqrt(MOST_PIXELS / (width * height)));

function createCanvas({ width, height }: Size) {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(width));
  canvas.height = Math.max(1, Math.round(height));
  const context = canvas.getContext('2d');
  if (!context) throw new Error('no canvas of this size');
  context.fillStyle = 'white';
  context.fillRect(0, 0, canvas.width, canvas.height);
  return { canvas, context };
}

tell({ kind: 'ready' });
