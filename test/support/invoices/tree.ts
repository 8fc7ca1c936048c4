import { elementsOf } from './xml-elements.ts';

/** An element of a CFDI with its children. */
export type Node = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Node[];
};

/** Parses a CFDI. Throws if it is not well formed. */
export function parseCfdi(xml: string): Node {
  const open: { node: Node; children: Node[] }[] = [];
  let root: Node | undefined;
  for (const { name, path, attributes } of elementsOf(xml)) {
    const children: Node[] = [];
    const node = { name, attributes, children };
    const depth = path.split(' > ').length - 1;
    open.length = depth;
    if (depth === 0) root = node;
    else open[depth - 1]?.children.push(node);
    open.push({ node, children });
  }
  if (!root) throw new Error('no element');
  return root;
}

/** Returns the elements at a path of names below a node, through all of their parents. */
export const nodesAt = (node: Node, ...[name, ...rest]: readonly string[]): readonly Node[] =>
  name === undefined
    ? [node]
    : node.children.filter((child) => child.name === name).flatMap((child) => nodesAt(child, ...rest));
