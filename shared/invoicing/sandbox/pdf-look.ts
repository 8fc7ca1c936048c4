import { type Color, PAGE } from './pdf-page.ts';

/** Where a page is written on. */
export const CONTENT = { left: 42, right: PAGE.width - 42, top: 40, bottom: PAGE.height - 52 } as const;

export const GREY: Color = [0.42, 0.44, 0.48];
export const NAVY: Color = [0.07, 0.25, 0.38];
export const TINT: Color = [0.91, 0.94, 0.96];
export const RULE: Color = [0.82, 0.85, 0.88];
export const RED: Color = [0.7, 0.11, 0.11];
export const WARNING: Color = [0.99, 0.92, 0.91];
