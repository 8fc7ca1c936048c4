import * as z from 'zod';
import { once } from '../../../../shared/runtime/async.ts';
import { type Finding, type StackCheck, worstOf } from '../check.ts';
import { callLambda, describedFunction } from './functions.ts';
import type { StackResources } from './resources.ts';

const alias = z.object({
  FunctionVersion: z.string(),
  RoutingConfig: z.object({ AdditionalVersionWeights: z.record(z.string(), z.number()).nullish() }).nullish(),
});

type Alias = {
  readonly name: string;
  readonly functionName: string;
  /** The version that gets most requests, and the others that get some. */
  readonly version: string;
  readonly others: readonly string[];
  readonly state: string;
  readonly description: string;
};

/** The checks of the versions that the aliases call. */
export function aliasChecks(resources: () => Promise<StackResources>): StackCheck[] {
  const aliases = once(async () => describeAliases((await resources()).get('AWS::Lambda::Alias') ?? []));
  return [
    {
      name: 'releases',
      remedy:
        'While a release is under way, wait. Otherwise stop its deployment in the CodeDeploy console, and deploy again.',
      look: async () => checkReleases(await aliases()),
    },
    {
      name: 'provisioned concurrency',
      remedy:
        'Wait while Lambda is still allocating. Otherwise look at the quota of concurrent executions and the log of the ' +
        'function, and deploy it again with another number.',
      look: async () => checkProvisioned(await aliases()),
    },
  ];
}

async function describeAliases(arns: readonly string[]): Promise<Alias[]> {
  const aliases: Alias[] = [];
  // One after the other: Lambda answers 15 such calls a second (AWS, "Lambda quotas").
  for (const arn of arns) aliases.push(await describeAlias(arn));
  return aliases;
}

/** Reads an alias, and the version that it calls. */
async function describeAlias(arn: string): Promise<Alias> {
  const [functionName = '', name = ''] = arn.split(':').slice(-2);
  const path = `/2015-03-31/functions/${encodeURIComponent(functionName)}`;
  const [called, version] = await Promise.all([
    callLambda(`${path}/aliases/${encodeURIComponent(name)}`).then((answer) => alias.parse(answer)),
    callLambda(`${path}?Qualifier=${encodeURIComponent(name)}`).then((answer) => describedFunction.parse(answer)),
  ]);
  return {
    name,
    functionName,
    version: called.FunctionVersion,
    others: Object.keys(called.RoutingConfig?.AdditionalVersionWeights ?? {}),
    state: version.Configuration.State,
    description: version.Configuration.Description,
  };
}

const checkReleases = (aliases: readonly Alias[]): Finding =>
  worstOf(aliases.map(findReleaseFault)) ?? { ok: `${aliases.length} aliases have one version each` };

function findReleaseFault({ functionName, version, others, state }: Alias): Finding | undefined {
  if (state !== 'Active') return { failed: `Version ${version} of ${functionName} is ${state}.` };
  if (others.length === 0) return undefined;
  return { warning: `${functionName} is between versions ${version} and ${others}.` };
}

// Of each version that has some, as infra/cloud/functions/concurrency.ts describes it.
const PROVISIONED = /, provisioned concurrency (\d+)$/;

const provisioned = z.object({
  ProvisionedConcurrencyConfigs: z
    .array(
      z.object({
        FunctionArn: z.string(),
        RequestedProvisionedConcurrentExecutions: z.number(),
        Status: z.enum(['IN_PROGRESS', 'READY', 'FAILED']),
        StatusReason: z.string().optional(),
      }),
    )
    .default([]),
});
type Provisioned = z.infer<typeof provisioned>['ProvisionedConcurrencyConfigs'][number];

async function checkProvisioned(aliases: readonly Alias[]): Promise<Finding> {
  const faults: (Finding | undefined)[] = [];
  const wanting = aliases.filter(({ description }) => PROVISIONED.test(description));
  for (const each of wanting) faults.push(findProvisionedFault(each, await listProvisioned(each)));
  const numbers = wanting.map((each) => `${countWanted(each)} of ${each.functionName}`);
  return worstOf(faults) ?? { ok: numbers.length > 0 ? `ready: ${numbers.join(', ')}` : 'none' };
}

const countWanted = ({ description }: Alias): number => Number(PROVISIONED.exec(description)?.[1]);

async function listProvisioned({ functionName }: Alias): Promise<Provisioned[]> {
  const path = `/2019-09-30/functions/${encodeURIComponent(functionName)}/provisioned-concurrency`;
  return provisioned.parse(await callLambda(`${path}?List=ALL`)).ProvisionedConcurrencyConfigs;
}

function findProvisionedFault(alias: Alias, configs: readonly Provisioned[]): Finding | undefined {
  const { functionName, name, version, others } = alias;
  const qualifierOf = ({ FunctionArn }: Provisioned) => FunctionArn.split(':').at(-1) ?? '';
  const own = configs.find((config) => [version, name].includes(qualifierOf(config)));
  if (!own) return { failed: `Version ${version} of ${functionName} has none, of ${countWanted(alias)}.` };
  const { Status, StatusReason = '', RequestedProvisionedConcurrentExecutions: requested } = own;
  if (Status === 'FAILED') return { failed: `That of ${functionName} failed. ${StatusReason}`.trim() };
  if (requested !== countWanted(alias))
    return { warning: `${functionName} has ${requested} instead of ${countWanted(alias)}.` };
  if (Status !== 'READY') return { warning: `That of ${functionName} is ${Status}.` };
  const paid = configs.map(qualifierOf).filter((qualifier) => ![version, name, ...others].includes(qualifier));
  return paid.length > 0
    ? { warning: `${functionName} pays for versions that nobody calls: ${paid.join(', ')}.` }
    : undefined;
}
