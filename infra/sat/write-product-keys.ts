import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';

// Writes SAT's keys of what a pharmacy sells and ships into the file that `catalog build` and `publish` check against.
// Its source is a database of phpcfdi/resources-sat-catalogs: `npx node infra/sat/write-product-keys.ts catalogs.db`.

/** Beginnings of keys: whole divisions, families, and classes. */
const BEGINNINGS = {
  1012: 'food of animals',
  101113: 'care of pets',
  1235: 'alcohol, peroxide and other compounds',
  141117: 'paper for personal use, nappies',
  241115: 'bags',
  261117: 'batteries',
  312015: 'adhesive tapes',
  411: 'instruments that measure, tests and reagents',
  412: 'pipettes, flasks and other supplies of a laboratory',
  42: 'medical equipment and supplies',
  4618: 'masks, gloves and other protection',
  4713: 'cleaning',
  501: 'food, but fresh and preserved fruit and vegetables',
  502: 'drinks, tobacco, cereals',
  51: 'medicines',
  521217: 'towels',
  52141: 'domestic appliances, those of personal care among them',
  53: 'clothing and personal care',
  551015: 'printed publications',
  60141: 'toys',
  781018: 'freight by road',
  781022: 'mail and parcels',
  7812: 'packing and handling',
  84111506: 'billing, for payments and credits',
  85: 'services of health',
} as const;

const SHIPPED = fileURLToPath(new URL('../../shared/catalog/publishing/folder/sat-product-keys.tsv', import.meta.url));

const [source = 'catalogs.db', target = SHIPPED] = process.argv.slice(2);
const database = new DatabaseSync(source, { readOnly: true });
const rows = database
  .prepare(`
    SELECT id, texto, vigencia_desde FROM cfdi_40_productos_servicios
    WHERE vigencia_hasta = '' OR vigencia_hasta > date('now') ORDER BY id`)
  .all()
  .map(({ id, texto, vigencia_desde }) => ({ key: String(id), name: String(texto), from: String(vigencia_desde) }))
  .filter(({ key }) => Object.keys(BEGINNINGS).some((beginning) => key.startsWith(beginning)));
const newest = rows.map(({ from }) => from).reduce((a, b) => (a > b ? a : b), '');

const header = [
  '# SAT, catálogo c_ClaveProdServ of CFDI 4.0: the keys of what a pharmacy sells and ships, with their names.',
  `# Public information of SAT (Anexo 20); the newest key here is in force since ${newest}.`,
  '# Written by infra/sat/write-product-keys.ts, which names the source.',
];
const lines = rows.map(({ key, name }) => `${key}\t${name.trim().replace(/\s+/g, ' ')}`);
writeFileSync(target, `${[...header, ...lines].join('\n')}\n`);
process.stdout.write(`${rows.length} keys\n`);
