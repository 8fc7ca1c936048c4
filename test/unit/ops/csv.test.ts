import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { toCsv, writeCsv } from '../../../infra/ops/files.ts';

it('CSV has a line for each row, which ends as RFC 4180 says, and leaves a negative number as it is', () => {
  const rows = [['Fecha', 'Cantidad'], ['2026-11-23', 2], [-12.5, '-1193.00'], []];
  expect(toCsv(rows)).toBe('Fecha,Cantidad\r\n2026-11-23,2\r\n-12.5,-1193.00\r\n\r\n');
});

it.each([
  ['Caja, 20', '"Caja, 20"'],
  ['Gel "50"', '"Gel ""50"""'],
  ['dos\nlíneas', '"dos\nlíneas"'],
  ['dos\rlíneas', '"dos\rlíneas"'],
  ["Dra. O'Hara; Roma-Sur = 8", "Dra. O'Hara; Roma-Sur = 8"],
  ['', ''],
  // No text becomes a formula, whatever stands before its sign, and however a program parts the cells.
  ['=HYPERLINK("http://x.example";"ver")', `"'=HYPERLINK(""http://x.example"";""ver"")"`],
  ['+52', "'+52"],
  ['-1.00+1', "'-1.00+1"],
  ['-1.00\n', `"'-1.00\n"`],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t'=1"],
  ['\r=1', `"'\r'=1"`],
  ['\0a', "'\0a"],
  [' =1', "' =1"],
  ['Ana; -1; b', "Ana;' -1; b"],
  ['Ana\t@SUM(A1)', "Ana\t'@SUM(A1)"],
  ['Ana\r\n+1', `"Ana\r\n'+1"`],
  ['Ana; " +1', `"Ana;' "" +1"`],
  ['Ana,"@SUM(A1)', `"Ana,'""@SUM(A1)"`],
  ['Ana\t""=1', `"Ana\t'""""=1"`],
  ['Ana;"＝1', `"Ana;'""＝1"`],
  ['Ana;\0=1', "Ana;'\0=1"],
  ['＝1+1', "'＝1+1"],
  ['Ana;＋1', "Ana;'＋1"],
  ['－1', "'－1"],
  ['＠SUM(A1)', "'＠SUM(A1)"],
])('CSV quotes a text if it has to, and makes no formula of it: %j', (text, cell) => {
  expect(toCsv([[text]])).toBe(`${cell}\r\n`);
});

it('CSV is UTF-8 in a file, which begins so that Excel takes it for that', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'csv-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeCsv(join(folder, 'a.csv'), [[['Presentación']]]);
  expect(await readFile(join(folder, 'a.csv'), 'utf8')).toBe('\ufeffPresentación\r\n');
});
