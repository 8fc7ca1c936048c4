const getDomain = (address: string): string => address.slice(address.indexOf('@') + 1);

/** A sender's SES identity: its address or domain, created with the stack, or an existing one. */
type SenderIdentity = 'address' | 'domain' | { readonly existing: string };

export function nameIdentity(address: string, identity: SenderIdentity): string {
  if (identity === 'address') return address;
  return identity === 'domain' ? getDomain(address) : identity.existing;
}

/** A domain's identity also covers its subdomains (Amazon SES Developer Guide, "Creating and verifying identities"). */
export function coversAddress(identity: string, address: string): boolean {
  if (identity.includes('@')) return identity === address;
  return `.${getDomain(address)}`.endsWith(`.${identity}`) && identity !== '';
}

/**
 * The regions of the partition `aws` where SES sends mail: the endpoints of `email` in botocore 1.43.107 (`endpoints.json`,
 * 2026-10-01), read on 2026-11-22, as in the schemas of cfn-lint 1.51.0 for `AWS::SES::EmailIdentity`. Add a region once the
 * table in AWS's General Reference, "Amazon Simple Email Service endpoints and quotas", has it.
 */
const SES_REGIONS = `
  af-south-1 ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1 ap-south-2 ap-southeast-1 ap-southeast-2 ap-southeast-3
  ap-southeast-5 ca-central-1 ca-west-1 eu-central-1 eu-central-2 eu-north-1 eu-south-1 eu-west-1 eu-west-2
  eu-west-3 il-central-1 me-central-1 me-south-1 sa-east-1 us-east-1 us-east-2 us-west-1 us-west-2`.split(/\s+/);

export const hasSes = (region: string): boolean => SES_REGIONS.includes(region);
