import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keepSourceMap, readSourceMap, removeOldSourceMaps } from '../../../infra/source-maps.ts';

const MAP = JSON.stringify({ version: 3, sources: ['../../a.ts'], names: [], mappings: 'AAAA' });
const DAY_MS = 24 * 60 * 60 * 1_000;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'maps-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Lets a file look as if it was last written so many days ago. */
function age(file: string, days: number): void {
  const then = new Date(Date.now() - days * DAY_MS);
  utimesSync(join(folder, file), then, then);
}

describe('the source maps that are kept', () => {
  it('are those of code that was built in the last 90 days', () => {
    for (const name of ['AAAAAAAA', 'BBBBBBBB']) keepSourceMap(folder, `dist/a/${name}.mjs`, MAP);
    age('AAAAAAAA.mjs.map.gz', 91);
    age('BBBBBBBB.mjs.map.gz', 89);
    removeOldSourceMaps(folder);
    expect(readdirSync(folder)).toEqual(['BBBBBBBB.mjs.map.gz']);
  });

  it('are kept for longer when the same code is built again', () => {
    keepSourceMap(folder, 'dist/a/AAAAAAAA.mjs', MAP);
    age('AAAAAAAA.mjs.map.gz', 91);
    keepSourceMap(folder, 'dist/a/AAAAAAAA.mjs', MAP);
    removeOldSourceMaps(folder);
    expect(readSourceMap(folder, 'AAAAAAAA.mjs')?.payload.sources).toEqual(['a.ts']);
  });

  it('leave other files of their folder alone', () => {
    writeFileSync(join(folder, 'notes.txt'), 'ours');
    age('notes.txt', 1_000);
    removeOldSourceMaps(folder);
    expect(readdirSync(folder)).toEqual(['notes.txt']);
  });
});
