/** How many are worked on at once, and what is told of the share that is done. */
type Pace = { readonly atOnce: number; readonly onProgress?: (done: number) => void };

/** Does the work for each, a few at once; returns the results in the order in which they were done. */
export async function sideBySide<Each, Result>(
  all: readonly Each[],
  { atOnce, onProgress = () => undefined }: Pace,
  work: (each: Each) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = all.values();
  const worker = async () => {
    for (const each of left) {
      results.push(await work(each));
      onProgress(results.length / all.length);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
