import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type House, openHouse } from '../support/house.ts';

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
const session = readme.split('## A first session')[1]?.split('\n## ')[0] ?? '';
/** The fenced blocks in their order, each with its language. */
const blocks = [...session.matchAll(/^```(sh|json)\n([\s\S]*?)^```$/gm)].map(([, language, text]) => ({
  language: language as 'sh' | 'json',
  text: text as string,
}));
const BREAK = '--- next ---';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

describe('the first session of the README', () => {
  it('answers as it says when pasted into one shell', async () => {
    const script = blocks
      .map(({ language, text }) => (language === 'sh' ? text : `echo; echo '${BREAK}'`))
      .join('\n')
      .replace('http://localhost:3000/v2', house.url);
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script]);
    const answers = stdout.split(BREAK).slice(0, -1);
    const expected = blocks.filter(({ language }) => language === 'json');
    expect(answers).toHaveLength(expected.length);
    for (const [index, { text }] of expected.entries()) {
      expect(JSON.parse(answers[index] ?? '')).toMatchObject(JSON.parse(text));
    }
  });

  it('shows an answer for each of its commands', () => {
    expect(blocks.filter(({ language }) => language === 'json')).toHaveLength(5);
  });
});
