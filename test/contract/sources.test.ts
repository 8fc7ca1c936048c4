import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { transformSync } from 'esbuild';
import { analyse } from 'scslre';
import { describe, expect, it, vi } from 'vitest';
import { once } from '../../shared/runtime/async.ts';

/** A regular expression as it stands in the source. */
type Pattern = { readonly file: string; readonly source: string; readonly flags: string };

// Behind these a slash begins a regular expression, behind anything else it divides.
const BEFORE = /(?:^|[(,=:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|of|in|void|delete|throw|new|await))$/;
const LITERAL = /\/((?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([a-z]*)/y;
const STRING = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/y;

/** Returns the regular expressions of a file of TypeScript; esbuild takes types and comments away before. */
function listPatterns(file: string, code: string): Pattern[] {
  const { code: script } = transformSync(code, {
    loader: 'ts',
    target: 'esnext',
    legalComments: 'none',
    minifyWhitespace: true,
  });
  const found: Pattern[] = [];
  // The depth of braces at which each open `${` of a template began.
  const templates: number[] = [];
  let depth = 0;
  let before = '';
  for (let at = 0; at < script.length; ) {
    const sign = script[at] ?? '';
    const isTemplateEnd = sign === '}' && templates.at(-1) === depth;
    const match =
      sign === '"' || sign === "'" ? STRING : sign === '/' && BEFORE.test(before.trimEnd()) ? LITERAL : null;
    if (match) match.lastIndex = at;
    const token = match?.exec(script);
    if (sign === '`' || isTemplateEnd) {
      if (isTemplateEnd) templates.pop();
      const end = endOfTemplate(script, at + 1);
      if (script[end] === '{') templates.push(depth);
      at = end + 1;
      before = script[end] === '{' ? '{' : '`';
    } else if (token) {
      if (match === LITERAL) found.push({ file, source: token[1] ?? '', flags: token[2] ?? '' });
      at += token[0].length;
      before = '"';
    } else {
      if (sign === '{') depth += 1;
      if (sign === '}') depth -= 1;
      if (sign.trim() !== '') before = `${before}${sign}`.slice(-12);
      else if (/\w$/.test(before)) before += ' ';
      at += 1;
    }
  }
  return found;
}

/** Returns where the text of a template ends: at its backtick, or at the brace of the next `${`. */
function endOfTemplate(script: string, start: number): number {
  for (let at = start; at < script.length; at++) {
    if (script[at] === '\\') at += 1;
    else if (script[at] === '`') return at;
    else if (script[at] === '$' && script[at + 1] === '{') return at + 1;
  }
  throw new Error('a template without an end');
}

// The imports of rooms, the reading of the environment, and the patterns of texts, as the sources have them.

const root = join(import.meta.dirname, '../..');
const sources = globSync('{functions,shared,infra}/**/*.ts', { cwd: root, exclude: ['**/*.d.ts'] });

type Import = { from: string; to: string; isType: boolean };

/** Lists the project's own imports of a file, as paths from the root. */
function listImports(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  const statements = text.matchAll(/^(?:import|export)\s+(type\s+)?(?:[^'"]*?from\s+)?'(\.[^']+)'/gms);
  return [...statements].map(([, type, target]) => ({
    from: file,
    to: relative(root, join(root, dirname(file), target as string)),
    isType: type !== undefined,
  }));
}

/** Returns the room of a file; the rules of a noun, which are pure, count as one room of their own, as does publishing. */
const getRoom = (file: string): string => {
  const [top = '', room = '', inner = ''] = file.split('/');
  if (top !== 'shared') return top;
  if (inner === 'rules') return 'rules';
  return inner === 'publishing' ? 'catalog/publishing' : room.replace(/\.ts$/, '');
};

// The rooms from the top down: a room imports rooms of the lines below its own.
const LINES = [
  'infra',
  'functions',
  'deps',
  'ordering erasure',
  'payments',
  'invoices events prescriptions',
  'quotes',
  'order',
  'access',
  'people catalog/publishing stock',
  'catalog store mail',
  'http',
  'runtime',
  'api',
  'rules',
  'domain',
  // The client is a package for other projects, which nothing here imports.
  'messages client',
].map((line) => line.split(' '));

const getLine = (file: string): number => LINES.findIndex((line) => line.includes(getRoom(file)));

function isAllowed({ from, to }: Import): boolean {
  if (getRoom(from) === getRoom(to)) return true;
  return getLine(from) >= 0 && getLine(from) < getLine(to) && getRoom(to) !== 'client';
}

/** Lists the imports of each file among the sources, those of pages and late ones included. */
function listAllImports(): Map<string, readonly string[]> {
  const files = globSync('{functions,shared,infra}/**/*.{ts,tsx}', { cwd: root, exclude: ['**/*.d.ts'] });
  const known = new Set(files);
  const toPath = (file: string, target: string) => relative(root, join(root, dirname(file), target));
  return new Map(
    files.map((file) => {
      const late = readFileSync(join(root, file), 'utf8').matchAll(/\bimport\('(\.[^']+)'\)/g);
      const targets = [...listImports(file).map(({ to }) => to), ...[...late].map(([, to = '']) => toPath(file, to))];
      return [file, targets.filter((target) => known.has(target))];
    }),
  );
}

/** Returns circles as `a.ts → b.ts → a.ts`, at least one of those that are there. */
function findCircles(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const from = path.indexOf(file);
    if (from >= 0) circles.push([...path.slice(from), file].join(' → '));
    if (from >= 0 || done.has(file)) return;
    for (const target of imports.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  return circles;
}

describe('imports', () => {
  const imports = sources.flatMap(listImports);

  it('point one way', () => {
    expect(imports.length).toBeGreaterThan(100);
    expect(imports.filter((one) => !isAllowed(one))).toEqual([]);
  });

  it('make no circle, of values or of types', () => {
    expect(findCircles(listAllImports())).toEqual([]);
  });

  it('lead no handler to the local server, the tools or what only publishing needs', () => {
    const handlers = [...listAllImports()].filter(([file]) => /^(functions|shared)\//.test(file));
    const outside = handlers.filter(([file]) => getRoom(file) !== 'catalog/publishing');
    expect(handlers.flatMap(([, targets]) => targets.filter((to) => to.startsWith('infra/')))).toEqual([]);
    const publishing = outside.flatMap(([, targets]) => targets.filter((to) => getRoom(to) === 'catalog/publishing'));
    expect(publishing).toEqual([]);
  });

  it('of what collects payments are late, so that only a function that collects loads it', () => {
    const provider = /^shared\/payments\/stripe\//;
    const early = imports.filter(({ from, to, isType }) => provider.test(to) && !isType && !from.startsWith('infra/'));
    expect(early.filter(({ from }) => !provider.test(from))).toEqual([]);
    const ofPackage = sources.filter((file) => /\bfrom 'stripe'/.test(readFileSync(join(root, file), 'utf8')));
    expect(ofPackage.filter((file) => !file.startsWith('shared/payments/stripe/'))).toEqual([]);
    expect(ofPackage.length).toBeGreaterThan(0);
  });

  it('of the route table stand in infra only, so that a bundle holds its own route alone', () => {
    const ofTable = imports.filter(({ to, isType }) => to === 'shared/api/routes.ts' && !isType);
    expect(ofTable.filter(({ from }) => !from.startsWith('infra/'))).toEqual([]);
  });

  it('leave reading the environment to the configuration and infra', () => {
    const readers = sources.filter((file) => /process\s*\.\s*env/.test(readFileSync(join(root, file), 'utf8')));
    expect(readers.filter((file) => !file.startsWith('infra/'))).toEqual(['shared/runtime/config.ts']);
  });
});

// The service meets the input of clients and operators, and so does the local server, which stands for API Gateway.
const readSource = (file: string): string => readFileSync(join(root, file), 'utf8');
const written = sources.flatMap((file) => listPatterns(file, readSource(file)));

/** Returns the patterns that files of the service make of texts while they are imported. */
const listMadePatterns = once(async (): Promise<Pattern[]> => {
  const made: Pattern[] = [];
  const { RegExp: former } = globalThis;
  // Another file of this thread may have imported them before.
  vi.resetModules();
  for (const file of sources.filter((one) => one.startsWith('shared/') && /new RegExp\(/.test(readSource(one)))) {
    globalThis.RegExp = new Proxy(former, {
      construct(target, args: [string, string?]) {
        const pattern = new target(...args);
        made.push({ file, source: pattern.source, flags: pattern.flags });
        return pattern;
      },
    });
    // Another test file may have imported it before.
    await import(`${join(root, file)}?made`).finally(() => {
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
