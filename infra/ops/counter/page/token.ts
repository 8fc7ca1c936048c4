// The token lives as long as the tab, and in no address that a history or a Referer would hold.
const NAME = 'token';

/** Keeps the token of an address `#<token>`. Returns false if the address has none. */
export function keepToken(hash: string): boolean {
  const [, token] = /^#([\w-]{43})$/.exec(hash) ?? [];
  if (token !== undefined) sessionStorage.setItem(NAME, token);
  return token !== undefined;
}

export const readToken = (): string => sessionStorage.getItem(NAME) ?? '';
