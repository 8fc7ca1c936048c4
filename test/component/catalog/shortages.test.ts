import { beforeAll, describe, expect, it } from 'vitest';
import { openStream, type TableStream } from '../../../infra/local/table-stream.ts';
import { updateShortages } from '../../../shared/catalog/shortages.ts';
import { catalogBucket, table } from '../../../shared/deps.ts';
import { now, setClock } from '../../../shared/runtime/clock.ts';
import { adjustStock, setStock } from '../../../shared/stock/keep-stock.ts';
import { DEMO_CATALOG, openCatalogBucket, publishToTestServer } from '../../support/engines/catalog-bucket.ts';
import { ops } from '../../support/operators/operator-world.ts';
import { useServer } from '../../support/servers/test-server.ts';
import { publishEvents } from '../../support/webhooks/feed.ts';

const server = useServer({ table: 'streamed' });
let stream: TableStream;
beforeAll(async () => {
  await openCatalogBucket();
  await publishToTestServer(DEMO_CATALOG);
  stream = openStream();
});

const OPERATION = { operator: 'ana', now: new Date('2026-11-29T18:00:00.000Z') };
const set = (...rows: readonly [store: number, product: number, quantity: number][]) =>
  setStock(
    rows.map(([store, product, quantity]) => ({ store, product, quantity })),
    OPERATION,
    table(),
  );
const adjust = (product: number, by: number) =>
  adjustStock({ product, store: 1, by, reason: 'Prueba' }, OPERATION, table());
/** Lets the stream's job run, and 31 seconds pass. */
async function wait(): Promise<void> {
  await publishEvents(stream);
  setClock(new Date(now().getTime() + 31_000));
}
const get = async (path: string) => (await server.request('GET', path)).body;
const isShort = async (id: number) => (await get(`/api/products/${id}/`)).has_shortage;
const countShort = async () => (await get('/api/products/?has_shortage=true&limit=1')).count;

describe('what is short', () => {
  it('is seen within 31 seconds by lists, filters, facets, substitutes and details, without a build', async () => {
    const before = await countShort();
    const { results } = await get('/api/products/16/substitutes/');
    const [substitute] = results;
    expect((await ops('catalog', 'shortage', String(substitute.id), '--on')).code).toBe(0);
    expect(await ops('catalog', 'shortage', '999999', '--on')).toMatchObject({ code: 1, out: '' });
    expect(await ops('catalog', 'shortage', String(substitute.id))).toMatchObject({ code: 2, out: '' });
    expect(await countShort()).toBe(before);
    await wait();
    expect([await countShort(), await isShort(substitute.id)]).toEqual([before + 1, true]);
    const ids = ({ results: found }: { results: { id: number }[] }) => found.map(({ id }) => id);
    expect(ids(await get('/api/products/16/substitutes/'))).toEqual(ids({ results }).slice(1));
    const facets = await get('/api/products/?has_shortage=true&facets=base__category&limit=1');
    const counted = facets.facets.base__category.map(({ count }: { count: number }) => count);
    expect(counted.reduce((sum: number, count: number) => sum + count, 0)).toBe(before + 1);
    expect((await ops('catalog', 'shortage', String(substitute.id), '--off')).code).toBe(0);
    await wait();
    expect(await countShort()).toBe(before);
  });

  it('is a product of which no store that tracks it has any, until one has', async () => {
    const steps: boolean[] = [];
    const step = async (change: Promise<unknown>) => {
      await change;
      await wait();
      steps.push(await isShort(7));
    };
    await step(set([1, 7, 2], [2, 7, 0]));
    await step(adjust(7, -1));
    await step(adjust(7, -1));
    await step(adjust(7, 1));
    expect(steps).toEqual([false, false, true, false]);
  });

  it('stays marked by an operator whatever is in stock, and through a publication', async () => {
    await set([1, 32, 0]);
    await ops('catalog', 'shortage', '32', '--on');
    await adjust(32, 5);
    await wait();
    await publishToTestServer(DEMO_CATALOG).catch(() => undefined);
    await wait();
    expect([await isShort(32), (await get('/api/products/32/availability/'))[0]]).toEqual([
      true,
      { store: 1, is_available: false, quantity: 5 },
    ]);
    await ops('catalog', 'shortage', '32', '--off');
    await wait();
    expect(await isShort(32)).toBe(false);
  });

  it('keeps categories and companies available while they have something to sell', async () => {
    const available = async (kind: string) => (await get(`/api/${kind}/?available=true&limit=1`)).count;
    const lists = async () => [await available('categories'), await available('pharmaceutical-companies')];
    const [before, short] = [await lists(), await countShort()];
    const { results } = await get('/api/products/?has_shortage=false&limit=100');
    const others = await get('/api/products/?has_shortage=false&limit=100&page=2');
    const all = [...results, ...others.results].map(({ id }: { id: number }) => id).sort((a, b) => a - b);
    await updateShortages(catalogBucket(), (stored) => ({ ...stored, marked: all }));
    await wait();
    expect([await countShort(), await lists()]).toEqual([all.length + short, [0, 0]]);
    await updateShortages(catalogBucket(), (stored) => ({ ...stored, marked: [] }));
    await wait();
    expect(await lists()).toEqual(before);
  });
});
