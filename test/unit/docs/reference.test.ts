import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type ApiDescription, listCalls } from '../../../infra/api/description.ts';
import { writeTypescriptSample } from '../../../infra/docs/samples.ts';
import { buildSite, type SiteFile } from '../../../infra/docs/site.ts';

const ROOT = join(import.meta.dirname, '../../..');
const description: ApiDescription = JSON.parse(readFileSync(join(ROOT, 'infra/api/openapi.json'), 'utf8'));
const calls = listCalls(description);
const CLIENT = JSON.stringify({ lang: 'TypeScript', label: 'TypeScript' }).slice(0, -1);
describe('the files of the reference page', () => {
  let files: ReadonlyMap<string, SiteFile>;
  beforeAll(async () => {
    files = await buildSite({ baseUrl: '/v2' });
  });
  const read = (name: string): string => files.get(name)?.body ?? '';
  const parse = (name: string): ApiDescription => JSON.parse(read(name));

  it('keep all operations and schemas of the OpenAPI document, which lies beside them unchanged', () => {
    expect(parse('openapi.json')).toEqual(description);
    const shown = parse('reference.json');
    const ids = listCalls(shown).map(({ operation }) => operation.operationId);
    expect(ids).toEqual(calls.map(({ operation }) => operation.operationId));
    expect(shown.components).toEqual(description.components);
    for (const { operation, path, method } of listCalls(shown)) {
      const original = description.paths[path]?.[method.toLowerCase()];
      expect(operation.responses).toEqual(original?.responses);
    }
    const withClient = listCalls(shown).filter(({ operation }) => JSON.stringify(operation).includes(CLIENT));
    expect(withClient.length).toBe(26);
  });

  it('have credentials only when they are given some', async () => {
    expect(read('start.js')).not.toContain('apiKey:"');
    const demonstration = { apiKey: 'demo-key', email: 'ana@demo.example', password: 'secreto' };
    const withCredentials = await buildSite({ baseUrl: '/v2', demonstration });
    expect(read('start.js')).not.toContain('demo-key');
    expect(withCredentials.get('start.js')?.body).toContain('demo-key');
  });
});

it('the samples for the client compile', () => {
  const folder = mkdtempSync(join(tmpdir(), 'samples-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const paths = { 'botica-client': [join(ROOT, 'shared/client/client.ts')] };
  const compilerOptions = { lib: ['es2024', 'dom'], types: [], paths };
  const project = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: ['.'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  for (const call of calls) {
    const login = 'declare const email: string, password: string;\n';
    const sample = writeTypescriptSample(call, description) ?? '';
    writeFileSync(join(folder, `${call.operation.operationId}.ts`), login + sample);
  }
  const compiler = join(ROOT, 'node_modules/.bin/tsc');
  expect(spawnSync(compiler, ['--project', folder], { encoding: 'utf8' }).stdout).toBe('');
});
