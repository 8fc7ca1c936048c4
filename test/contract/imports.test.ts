import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

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

const getLayer = (file: string): string => {
  const [top = '', folder = ''] = file.split('/');
  return top === 'shared' ? folder.replace(/\.ts$/, '') : top;
};

// Each layer may import these layers besides itself.
const ALLOWED: Readonly<Record<string, string>> = {
  messages: '',
  domain: 'messages',
  api: 'domain messages',
  runtime: 'domain messages',
  catalog: 'api domain runtime',
  store: 'api catalog domain runtime',
  documents: 'domain runtime',
  access: 'domain runtime',
  invoicing: 'domain messages runtime',
  payments: 'domain runtime store',
  mail: 'domain runtime',
  events: 'api domain store',
  answers: 'api catalog documents domain store',
  usecases: 'access answers api catalog documents domain events invoicing mail messages payments runtime store',
  http: 'api domain messages runtime',
  // Everything is put together here; nothing below imports it.
  deps: 'access catalog documents events http invoicing mail payments runtime store usecases',
  functions: 'answers api catalog deps documents domain http runtime store usecases',
  // The client is a package for other projects and imports nothing else.
  client: '',
  // All but mail and the client.
  infra: `access answers api catalog deps documents domain events functions http invoicing messages payments
    runtime store usecases`,
};

// Each room of the catalog may import these rooms besides itself; `catalog.ts`, the port for other layers, is one.
const CATALOG_ROOMS: Readonly<Record<string, string>> = {
  folder: '',
  file: '',
  'catalog.ts': 'file',
  compile: 'folder file read',
  compare: 'file',
  publish: 'compare compile file',
  read: 'catalog.ts file',
};

const isListed = (rules: Readonly<Record<string, string>>, from: string, to: string): boolean =>
  from === to || (rules[from]?.split(/\s+/).includes(to) ?? false);

const isAllowed = ({ from, to }: Import): boolean => isListed(ALLOWED, getLayer(from), getLayer(to));

function isWithinRooms({ from, to }: Import): boolean {
  const [room = '', target = ''] = [from, to].map((file) => file.split('/')[2]);
  return isListed(CATALOG_ROOMS, room, target);
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

  it('are found at all', () => {
    expect(imports.length).toBeGreaterThan(100);
  });

  it('point one way', () => {
    expect(imports.filter((one) => !isAllowed(one))).toEqual([]);
  });

  it('point one way between the rooms of the catalog', () => {
    const inside = imports.filter(({ from, to }) => getLayer(from) === 'catalog' && getLayer(to) === 'catalog');
    expect(inside.filter((one) => !isWithinRooms(one))).toEqual([]);
  });

  it('make no circle, of values or of types', () => {
    expect(findCircles(listAllImports())).toEqual([]);
  });

  it('of the domain from other layers are types only', () => {
    const outward = imports.filter(({ from, to }) => getLayer(from) === 'domain' && getLayer(to) !== 'domain');
    expect(outward.filter(({ isType }) => !isType)).toEqual([]);
  });

  it('of the route table stand in infra only, so that a bundle holds its own route alone', () => {
    const importers = imports
      .filter(({ to, isType }) => to === 'shared/api/routes.ts' && !isType)
      .map(({ from }) => from);
    expect(importers.filter((file) => !file.startsWith('infra/'))).toEqual([]);
  });

  it('of what collects payments are late, so that only a function that collects loads it', () => {
    const provider = /^shared\/payments\/(stripe|sandbox)\//;
    const early = imports.filter(({ from, to, isType }) => provider.test(to) && !isType && !from.startsWith('infra/'));
    expect(early.filter(({ from }) => !provider.test(from))).toEqual([]);
    const ofPackage = sources.filter((file) => /\bfrom 'stripe'/.test(readFileSync(join(root, file), 'utf8')));
    expect(ofPackage.filter((file) => !file.startsWith('shared/payments/stripe/'))).toEqual([]);
    expect(ofPackage.length).toBeGreaterThan(0);
  });

  it('of deps.ts stand in functions and infra only', () => {
    const importers = imports.filter(({ to }) => to === 'shared/deps.ts').map(({ from }) => from);
    expect(importers.filter((file) => !/^(functions|infra)\//.test(file))).toEqual([]);
  });

  it('leave reading the environment to the configuration and infra', () => {
    const readers = sources.filter((file) => /process\s*\.\s*env/.test(readFileSync(join(root, file), 'utf8')));
    expect(readers.filter((file) => !file.startsWith('infra/'))).toEqual(['shared/runtime/config.ts']);
  });
});
