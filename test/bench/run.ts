import { benchBundles } from './bundles.ts';
import { benchCatalog } from './catalog.ts';
import { type Figure, printTable } from './figures.ts';
import { benchHttp } from './http.ts';

// npm run bench [-- bundles|catalog|http]: the figures that the README quotes, each with the bar it has to hold.
const benches: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  bundles: benchBundles,
  catalog: benchCatalog,
  http: benchHttp,
};

const wanted = process.argv.slice(2);
const figures: Figure[] = [];
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length === 0 || wanted.includes(name)) figures.push(...(await bench()));
}
printTable(figures);
process.exit(0);
