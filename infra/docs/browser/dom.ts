/** The one element of that kind; the page and its script are made together, so that a missing one is a fault. */
export function one<Kind extends Element>(selector: string, kind: new () => Kind, root: ParentNode = document): Kind {
  const found = root.querySelector(selector);
  if (found instanceof kind) return found;
  throw new Error(`the page has no ${selector}`);
}

export const all = <Kind extends HTMLElement>(
  selector: string,
  kind: new () => Kind,
  root: ParentNode = document,
): Kind[] => [...root.querySelectorAll(selector)].filter((element): element is Kind => element instanceof kind);
