// The messages between the page and the frame of a document. The frame has an origin of its own, and what it says is not
// trusted: the most that a hostile document could make it say is that it has other pages, or none.

/** `show` draws one page, counted from 1; a zoom of 1 fits its width into the frame. */
export type ToFrame =
  | { readonly kind: 'open'; readonly bytes: ArrayBuffer }
  | ({ readonly kind: 'show'; readonly label: string; readonly language: string } & PageView);
export type PageView = { readonly page: number; readonly zoom: number; readonly quarterTurns: number };

/** `broken`: the document is no picture or PDF that can be drawn; `undrawn`: one of its pages cannot be. */
export type FromFrame =
  | { readonly kind: 'ready' }
  | { readonly kind: 'opened'; readonly pages: number }
  | { readonly kind: 'shown' | 'undrawn' }
  | { readonly kind: 'broken' };
