import { createHash } from 'node:crypto';
import type { Method } from '../../../shared/api/contract.ts';
import { type Route, servedMethods } from '../../../shared/api/routes.ts';

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
  /**
   * Finds the route of a method and a path without its stage, ignoring trailing and duplicate leading slashes. Undefined is
   * what the stack's catch-all answers: it takes the other methods of a resource before a parameter beside it could.
   */
  find(method: string, path: string): Match | undefined;
  /** Returns the methods of the rows of the resource at a path; none if there is no such resource. */
  methods(path: string): readonly Method[];
};

type Pattern = Resource & { readonly segments: readonly string[] };

export function createRouter(routes: readonly Route[]): Router {
  const patterns = toPatterns(routes);
  const findPattern = (segments: readonly string[]) => patterns.find((pattern) => matches(pattern, segments));
  return {
    find(method, path) {
      const segments = toSegments(path);
      const resource = findPattern(segments);
      const route = resource?.methods.get(method);
      return resource && route && { resource, route, pathParameters: readPathParameters(resource, segments) };
    },
    methods(path) {
      const rows = findPattern(toSegments(path))?.methods.values() ?? [];
      return [...new Set([...rows].map(({ method }) => method))];
    },
  };
}

function toPatterns(routes: readonly Route[]): Pattern[] {
  const byPath = Map.groupBy(routes, (route) => route.path.replace(/\/$/, ''));
  const patterns = [...byPath].map(([path, rows]) => ({
    path,
    id: createHash('sha256').update(path).digest('hex').slice(0, 6),
    methods: new Map(rows.flatMap((row) => servedMethods(row).map((method) => [method, row] as const))),
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
