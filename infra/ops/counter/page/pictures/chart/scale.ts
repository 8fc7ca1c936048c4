const STEPS = [1, 2, 5, 10] as const;

/**
 * Returns round numbers from 0 to the first that is not below `highest`, about as many as asked for, in steps of 1, 2 or
 * 5 times a power of ten, and of `smallestStep` at least.
 */
export function listTicks(highest: number, count: number, smallestStep: number): number[] {
  const step = Math.max(smallestStep, roundStep(highest / count));
  const last = Math.max(1, Math.ceil(highest / step));
  return Array.from({ length: last + 1 }, (_, index) => index * step);
}

function roundStep(step: number): number {
  if (step <= 0) return 0;
  const power = 10 ** Math.floor(Math.log10(step));
  return power * (STEPS.find((each) => each * power >= step) ?? 10);
}

/** Returns the distance between labels so that `count` of them, each as wide as `labelWidth`, do not meet within a width. */
export const spaceLabels = (count: number, { width, labelWidth }: { width: number; labelWidth: number }): number =>
  Math.max(1, Math.ceil((count * labelWidth) / Math.max(width, 1)));
