/*
 * `node take-ids.ts <count>` takes order ids, as one container beside others, and prints them as JSON. The environment
 * names the table and the endpoint.
 */
import { Ids } from '../../../shared/store/ids.ts';
import { openTable } from '../../../shared/store/table.ts';

const MOST_AT_ONCE = 7;

const ids = new Ids(openTable());
const taken: number[] = [];
while (taken.length < Number(process.argv[2])) {
  const counts = [1, 2, MOST_AT_ONCE];
  taken.push(...(await Promise.all(counts.map((count) => ids.take('order', count)))).flat());
}
process.stdout.write(JSON.stringify(taken));
