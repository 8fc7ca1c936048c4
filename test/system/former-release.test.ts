import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findFormerRelease } from '../support/servers/former-release.ts';

let folder: string;
const git = (...words: string[]): string => execFileSync('git', words, { cwd: folder, encoding: 'utf8' }).trim();
const commit = (subject: string) =>
  git('-c', 'user.name=a', '-c', 'user.email=a@a.example', 'commit', '-q', '--allow-empty', '-m', subject);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'former-release-'));
  git('init', '-q');
});
afterAll(() => rmSync(folder, { recursive: true }));

it('is none, then the tag before the commit that is looked at, whether that has a tag itself or not', () => {
  commit('one');
  expect(findFormerRelease(folder)).toBeUndefined();
  git('tag', 'v1');
  commit('two');
  expect(findFormerRelease(folder)).toBe('v1');
  git('tag', 'v2');
  expect(findFormerRelease(folder)).toBe('v1');
  commit('three');
  expect(findFormerRelease(folder)).toBe('v2');
});
