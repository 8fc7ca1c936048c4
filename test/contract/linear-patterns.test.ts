import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { analyse } from 'scslre';
import { describe, expect, it, vi } from 'vitest';
import { once } from '../../shared/runtime/async.ts';
import { listPatterns, type Pattern } from '../support/patterns.ts';

const ROOT = join(import.meta.dirname, '../..');
// The service meets the input of clients and operators, and so does the local server, which stands for API Gateway.
const FILES = globSync('{shared,functions,infra}/**/*.ts', { cwd: ROOT, exclude: ['**/*.d.ts'] });
const readSource = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const written = FILES.flatMap((file) => listPatterns(file, readSource(file)));

/** Returns the patterns that files of the service make of texts while they are imported. */
const listMadePatterns = once(async (): Promise<Pattern[]> => {
  const made: Pattern[] = [];
  const { RegExp: former } = globalThis;
  // Another file of this thread may have imported them before.
  vi.resetModules();
  for (const file of FILES.filter((one) => one.startsWith('shared/') && /new RegExp\(/.test(readSource(one)))) {
    globalThis.RegExp = new Proxy(former, {
      construct(target, args: [string, string?]) {
        const pattern = new target(...args);
        made.push({ file, source: pattern.source, flags: pattern.flags });
        return pattern;
      },
    });
    // Another test file may have imported it before.
    await import(`${join(ROOT, file)}?made`).finally(() => {
      globalThis.RegExp = former;
    });
  }
  return made;
});

const describePattern = ({ file, source, flags }: Pattern): string => `${file}: /${source}/${flags}`;

/** Returns the patterns that take more than linear time for some text, with the sign that it repeats. */
const findSlow = (patterns: readonly Pattern[]): string[] =>
  patterns.flatMap((pattern) =>
    analyse({ source: pattern.source, flags: pattern.flags }).reports.map(
      ({ character }) => `${describePattern(pattern)} for many ${JSON.stringify(character.pick)}`,
    ),
  );

describe('every pattern of the service', () => {
  it('is found in the source, and those that are made of texts', async () => {
    expect(written.length).toBeGreaterThan(200);
    expect(written.map(describePattern)).toContain('shared/http/pagination.ts: /(?<!\\/)\\/*$/');
    const made = new Set((await listMadePatterns()).map(({ source }) => source));
    expect([...made].filter((source) => source.startsWith('\\/(?:(?:J|#4[aA])'))).toHaveLength(3);
  });

  it('takes linear time for any text, by its structure', async () => {
    const quadratic = { file: 'a.ts', source: '\\/+$', flags: '' };
    expect(findSlow([quadratic])).toEqual(['a.ts: /\\/+$/ for many "/"']);
    expect(findSlow([...written, ...(await listMadePatterns())])).toEqual([]);
  });
});
