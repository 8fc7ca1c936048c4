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
