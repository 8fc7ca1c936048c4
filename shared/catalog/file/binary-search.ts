/** Returns the first of `size` places where the test holds, which holds for every place behind it too; else `size`. */
export function findPlace(size: number, holds: (place: number) => boolean): number {
  let from = 0;
  let to = size;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
