/** Returns a queue that runs at most `limit` pieces of work of the same name at once. */
export function turns<Name>(atOnce: number) {
  const queues = new Map<Name, { running: number; readonly waiting: (() => void)[] }>();

  return async function inTurn<Result>(name: Name, work: () => Promise<Result>): Promise<Result> {
    const queue = queues.get(name) ?? { running: 0, waiting: [] };
    queues.set(name, queue);
    if (queue.running < atOnce) queue.running++;
    else await new Promise<void>((resolve) => queue.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = queue.waiting.shift();
      if (next) next();
      else queue.running--;
    }
  };
}
