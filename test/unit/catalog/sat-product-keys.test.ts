import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, it } from 'vitest';

const directory = mkdtempSync(join(tmpdir(), 'sat-keys-'));
afterAll(() => rmSync(directory, { recursive: true }));

it("writes the keys that are in force, of what a pharmacy sells, from a database of SAT's catalogs", () => {
  const source = join(directory, 'catalogs.db');
  const database = new DatabaseSync(source);
  database.exec(`
    CREATE TABLE cfdi_40_productos_servicios (id, texto, vigencia_desde, vigencia_hasta);
    INSERT INTO cfdi_40_productos_servicios VALUES
      ('53131609', 'Productos para  la protección solar ', '2022-01-01', ''),
      ('51101511', 'Amoxicilina', '2025-12-30', '2999-12-31'),
      ('51101599', 'Ya no vigente', '2022-01-01', '2024-12-31'),
      ('25101503', 'Carros', '2022-01-01', '')`);
  database.close();
  const target = join(directory, 'keys.tsv');
  const out = execFileSync(process.execPath, ['infra/sat/write-product-keys.ts', source, target], { encoding: 'utf8' });
  expect(out).toBe('2 keys\n');
  const lines = readFileSync(target, 'utf8').split('\n');
  expect(lines[1]).toContain('in force since 2025-12-30');
  expect(lines.filter((line) => !line.startsWith('#'))).toEqual([
    '51101511\tAmoxicilina',
    '53131609\tProductos para la protección solar',
    '',
  ]);
});
