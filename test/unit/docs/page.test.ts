import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ApiDescription, callsOf, resolved } from '../../../infra/docs/description.ts';
import { escaped, html, prose } from '../../../infra/docs/html.ts';
import { jsonHtml } from '../../../infra/docs/json.ts';
import { referencePage } from '../../../infra/docs/page.ts';
import { curlSample, typescriptSample } from '../../../infra/docs/samples.ts';
import { siteFiles } from '../../../infra/docs/site.ts';

const ROOT = join(import.meta.dirname, '../../..');
const description: ApiDescription = JSON.parse(readFileSync(join(ROOT, 'infra/api/openapi.json'), 'utf8'));
const page = referencePage(description, { baseUrl: '/v2' });
const calls = callsOf(description);
/** What the compiler has to say. */
const tsc = (project: string): string =>
  spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['--project', project], { encoding: 'utf8' }).stdout;

/** What stands on the page from the element with this id to the next section. */
const sectionOf = (id: string) => page.split(`id="${id}"`)[1]?.split('</section>')[0] ?? '';

describe('the reference page', () => {
  it.each(calls)('tells all of $method $path', ({ method, path, operation, parameters, responses }) => {
    const section = sectionOf(operation.operationId);
    expect(section).toContain(`<h3>${escaped(operation.summary)}</h3>`);
    expect(section).toContain(`data-method="${method}" data-path="${path}"`);
    for (const { name } of parameters) expect(section).toContain(`<code class="name">${name}</code>`);
    for (const [status, { content }] of responses) {
      expect(section).toContain(`">${status}</b>`);
      if (content) expect(section).toMatch(/href="#schema-\w+"/);
    }
    expect(page).toContain(`href="#${operation.operationId}"`);
  });

  it.each(Object.keys(description.components.schemas))('tells all of the schema %s', (name) => {
    const section = sectionOf(`schema-${name}`);
    const { properties = {} } = description.components.schemas[name] ?? {};
    for (const field of Object.keys(properties)) expect(section).toContain(`<code class="name">${field}</code>`);
  });

  it('has no link that leads nowhere', () => {
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.filter((id) => !ids.has(id))).toEqual([]);
  });

  it('takes nothing from elsewhere, and runs nothing that stands in it', async () => {
    const files = await siteFiles({ baseUrl: '/v2' });
    expect([...files.keys()]).toEqual(['index.html', 'page.css', 'page.js', 'icon.svg', 'openapi.json']);
    const sources = [...page.matchAll(/<(?:link|script|img)[^>]* (?:href|src)="([^"]+)"/g)].map(([, source]) => source);
    expect(sources.filter((source) => !files.has(source ?? ''))).toEqual([]);
    expect(page).not.toMatch(/<script(?![^>]* src=)| style="| on\w+="/);
    expect(files.get('page.css')?.body).not.toMatch(/url\(|@import/);
  });

  it('shows credentials only where there are some that everybody may know', () => {
    expect(page).toContain('name="key" value=""');
    const demonstration = { apiKey: 'demo', email: 'ana@demo.example', password: 'secreto' };
    expect(referencePage(description, { baseUrl: '/v2', demonstration })).toContain('name="key" value="demo"');
  });

  it('has a script that holds to its types', () => {
    expect(tsc(join(ROOT, 'infra/docs/browser'))).toBe('');
  });
});

describe('the samples', () => {
  it('for the client compile', () => {
    const folder = mkdtempSync(join(tmpdir(), 'samples-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const paths = { 'botica-client': [join(ROOT, 'shared/client/client.ts')] };
    const options = { lib: ['es2024', 'dom'], types: [], paths };
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions: options, include: ['.'] }),
    );
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    for (const call of calls) {
      const sample = textOf(typescriptSample(call, description).text);
      const login = 'declare const email: string, password: string;\n';
      writeFileSync(join(folder, `${call.operation.operationId}.ts`), login + sample);
    }
    expect(tsc(folder)).toBe('');
  });

  it('for a shell say what the operation needs, and escape what a shell would read', () => {
    const [call] = calls.filter(({ operation }) => operation.operationId === 'createOrder');
    if (!call) throw new Error('no createOrder');
    const [{ value }] = [{ value: { user: { first_name: "D'Angelo" } } }];
    const content = { 'application/json': { examples: { one: { value } } } };
    const changed = { ...call, operation: { ...call.operation, requestBody: { content } } };
    expect(textOf(curlSample(changed, description).text)).toBe(
      [
        'curl "$BOTICA/api/orders/resources/"',
        '-H "X-API-Key: $API_KEY"',
        '-H "Authorization: Bearer $TOKEN"',
        "-H 'Idempotency-Key: order-2026-11-21-0001'",
        "-H 'Content-Type: application/json'",
        `-d '{\n  "user": {\n    "first_name": "D'\\''Angelo"\n  }\n}'`,
      ].join(' \\\n  '),
    );
  });

  it('are there for every operation', () => {
    const [call] = calls;
    if (!call) throw new Error('no operation');
    const unknown = { ...call, operation: { ...call.operation, operationId: 'dance' } };
    expect(() => typescriptSample(unknown, description)).toThrow('no call of the client for dance');
  });
});

/** The text that a browser would show. */
const textOf = (markup: string): string =>
  markup
    .replace(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

describe('markup', () => {
  it('takes text for text', () => {
    expect(html`<p>${'<b>"&\''}</p>${html`<i>${1}</i>`}${[html`<u></u>`, 'x']}${false}${undefined}`.text).toBe(
      '<p>&lt;b&gt;&quot;&amp;&#39;</p><i>1</i><u></u>x',
    );
    expect(prose('`<id>` & <b>').text).toBe('<code>&lt;id&gt;</code> &amp; &lt;b&gt;');
  });

  it('marks up JSON without changing it', () => {
    const value = { 'a"<b>': ['x: "y"', -1.5, 1e21, true, null, {}], '&': '</pre><script>' };
    const marked = jsonHtml(value).text;
    expect(textOf(marked)).toBe(JSON.stringify(value, null, 2));
    expect(marked).not.toContain('<script>');
    expect(marked).toContain('<span class="literal">-1.5</span>');
    expect(marked).toContain('<span class="key">&quot;&amp;&quot;</span>: <span class="text">');
  });

  it('follows references, and says which one leads nowhere', () => {
    expect(() => resolved({ $ref: '#/components/headers/Nothing' }, description)).toThrow(
      '#/components/headers/Nothing leads nowhere',
    );
  });
});
