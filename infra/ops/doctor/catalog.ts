import { productsContract } from '../../../shared/api/catalog/products.ts';
import { once } from '../../../shared/runtime/async.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { withPublishedCatalog } from '../catalog/published-catalog.ts';
import type { Check, Finding } from './check.ts';

const canBeBought = () => productsContract.query.parse({ is_active: 'true', has_shortage: 'false' });
const DAY_MS = 24 * 60 * 60 * 1_000;

export function catalogChecks(): Check[] {
  const opened = once(() =>
    withPublishedCatalog((catalog, { version, published_at }) => {
      return { version, publishedAt: published_at, bought: catalog.products(canBeBought()).count };
    }),
  );
  return [
    {
      name: 'catalog',
      needs: ['CATALOG_BUCKET'],
      remedy: 'Publish it: catalog publish <folder>.',
      look: async () => ({ ok: `version ${(await opened()).version} opens` }),
    },
    {
      name: 'catalog age',
      needs: ['CATALOG_BUCKET'],
      remedy: 'Publish a newer one: catalog publish <folder>.',
      look: async () => checkAge((await opened()).publishedAt),
    },
    {
      name: 'catalog products',
      needs: ['CATALOG_BUCKET'],
      remedy: 'Publish a catalog with active products in stock: catalog publish <folder>.',
      look: async () => {
        const { bought } = await opened();
        return bought > 0 ? { ok: `${bought} products can be bought` } : { failed: 'No product can be bought.' };
      },
    },
  ];
}

function checkAge(publishedAt: string): Finding {
  const days = Math.floor((now().getTime() - Date.parse(publishedAt)) / DAY_MS);
  const most = Number(process.env.CATALOG_MAXIMUM_AGE_DAYS ?? Number.POSITIVE_INFINITY);
  if (days > most) return { failed: `It was published ${days} days ago; ${most} are allowed.` };
  return { ok: days === 1 ? '1 day' : `${days} days` };
}
