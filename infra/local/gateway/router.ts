import { createHash } from 'node:crypto';
import type { Method } from '../../../shared/api/contract.ts';
import type { Route } from '../../../shared/api/routes.ts';

type Resource = {
  /** The resource path as API Gateway writes it, without a trailing slash. */
  readonly path: string;
  readonly id: string;
  readonly methods: ReadonlyMap<string, Route>;
};

export type Match = {
  readonly resource: Resource;
  readonly route: Route;
  /** The path parameters as sent, not decoded; null if the resource has none. */
  readonly pathParameters: Readonly<Record<string, string>> | null;
};

export type Router = {
  /** Finds the route of a method and a path without its stage, ignoring trailing and duplicate leading slashes. */
  find(method: string, path: string): Match | undefined;
  /** Returns the methods of the resource at a path; none if there is no such resource. */
  methods(path: string): readonly Method[];
};

type Pattern = Resource & { readonly segments: readonly string[] };

export function createRouter(routes: readonly Route[]): Router {
  const patterns = toPatterns(routes);
  return {
    find(method, path) {
      const segments = toSegments(path);
      for (const pattern of patterns) {
        const route = pattern.methods.get(method);
        if (!route || !matches(pattern, segments)) continue;
        return { resource: pattern, route, pathParameters: readPathParameters(pattern, segments) };
      }
      return undefined;
    },
    methods(path) {
      const segments = toSegments(path);
      const pattern = patterns.find((candidate) => matches(candidate, segments));
      return pattern ? [...pattern.methods.values()].map(({ method }) => method) : [];
    },
  };
}

function toPatterns(routes: readonly Route[]): Pattern[] {
  const byPath = Map.groupBy(routes, (route) => route.path.replace(/\/$/, ''));
  const patterns = [...byPath].map(([path, rows]) => ({
    path,
    id: createHash('sha256').update(path).digest('hex').slice(0, 6),
    methods: new Map(rows.map((row) => [row.method, row])),
    segments: toSegments(path),
  }));
  // A literal segment wins over a parameter, as in API Gateway.
  return patterns.sort((one, other) => parameterCount(one) - parameterCount(other));
}

const isParameter = (segment: string) => segment.startsWith('{');
const parameterCount = ({ segments }: Pattern) => segments.filter(isParameter).length;
const toSegments = (path: string) => path.replace(/^\/+|\/+$/g, '').split('/');

function matches({ segments: wanted }: Pattern, sent: readonly string[]): boolean {
  if (wanted.length !== sent.length) return false;
  return wanted.every((segment, index) =>
    isParameter(segment) ? sent[index] !== '' : segment === decoded(sent[index] ?? ''),
  );
}

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function readPathParameters({ segments }: Pattern, sent: readonly string[]): Match['pathParameters'] {
  const pairs = segments.flatMap((segment, index) =>
    isParameter(segment) ? [[segment.slice(1, -1), sent[index] ?? ''] as const] : [],
  );
  return pairs.length > 0 ? Object.fromEntries(pairs) : null;
}
