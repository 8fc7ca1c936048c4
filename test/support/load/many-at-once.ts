/** Runs a task for each index below `count`, at most `atOnce` at a time, and returns the results by index. */
export async function manyAtOnce<Result>(
  count: number,
  atOnce: number,
  task: (index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const work = async () => {
    while (next < count) {
      const index = next++;
      results[index] = await task(index);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}
