import { askAwsForText } from '../../ops/target/signed-request.ts';

/** A stack as CloudFormation knows it; its id is its ARN. */
type DescribedStack = { readonly id: string; readonly status: string };

/** A stack by its name or id, in its region; without one, in that of the credentials. */
type StackPlace = { readonly stack: string; readonly region?: string | undefined };

/** Describes a stack. Throws if CloudFormation refuses, as for one that does not exist. */
export async function describeStack({ stack, region }: StackPlace): Promise<DescribedStack> {
  const xml = await askCloudFormation({ Action: 'DescribeStacks', StackName: stack }, region);
  const [, status] = /<StackStatus>(\w+)<\/StackStatus>/.exec(xml) ?? [];
  const [, id] = /<StackId>(arn:[^<]+)<\/StackId>/.exec(xml) ?? [];
  if (!status || !id) throw new Error('CloudFormation answers without the status of the stack');
  return { id, status };
}

// CDK deletes such a stack before it creates it anew, but turns on the protection before a creation, and does not turn it
// off (aws-samples/aws-secure-environment-accelerator#253).
const CREATION_FAILED = ['ROLLBACK_COMPLETE', 'ROLLBACK_FAILED'];

/** Ends the termination protection of a stack whose creation failed, in this account if one is named. */
export async function releaseFailedCreation(
  place: StackPlace,
  account: string | undefined,
): Promise<'released' | 'kept'> {
  const { id, status } = await describeStack(place);
  const isElsewhere = account !== undefined && id.split(':')[4] !== account;
  if (isElsewhere || !CREATION_FAILED.includes(status)) return 'kept';
  const release = { Action: 'UpdateTerminationProtection', StackName: id, EnableTerminationProtection: 'false' };
  await askCloudFormation(release, place.region);
  return 'released';
}

const askCloudFormation = (form: Readonly<Record<string, string>>, region: string | undefined): Promise<string> =>
  askAwsForText({
    host: 'cloudformation',
    service: 'cloudformation',
    endpointVariable: 'AWS_ENDPOINT_URL_CLOUDFORMATION',
    path: '/',
    region,
    init: {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...form, Version: '2010-05-15' }).toString(),
    },
  });
