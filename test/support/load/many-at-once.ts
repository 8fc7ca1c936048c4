/** The results of a task for each index below `count`, with so many of them under way at any time. */
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
