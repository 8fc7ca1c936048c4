const getDomain = (address: string): string => address.slice(address.indexOf('@') + 1);

/** The SES identity of a sender: its address or its domain, made with the stack, or one that exists already. */
type SenderIdentity = 'address' | 'domain' | { readonly existing: string };

/** Returns the name of the identity that an address is sent from. */
export function nameIdentity(address: string, identity: SenderIdentity): string {
  if (identity === 'address') return address;
  return identity === 'domain' ? getDomain(address) : identity.existing;
}

/**
 * True if an identity of this name lets SES send from the address. That of a domain covers the addresses of its subdomains,
 * too (Amazon SES Developer Guide, "Creating and verifying identities").
 */
export function coversAddress(identity: string, address: string): boolean {
  if (identity.includes('@')) return identity === address;
  return `.${getDomain(address)}`.endsWith(`.${identity}`) && identity !== '';
}
