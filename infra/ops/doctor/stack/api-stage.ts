import { APIGatewayClient, GetStageCommand, type Stage } from '@aws-sdk/client-api-gateway';
import { CLIENT_LIMITS, type Finding, REMEDIES, type StackCheck } from '../check.ts';
import type { StackResources } from './resources.ts';

/** The check of what CloudFormation has set on the stage of the API. */
export const apiStageChecks = (resources: () => Promise<StackResources>): StackCheck[] => [
  {
    name: 'API stage',
    remedy: REMEDIES.deployAgain,
    look: async () => {
      const listed = await resources();
      const [restApiId] = listed.get('AWS::ApiGateway::RestApi') ?? [];
      const [stageName] = listed.get('AWS::ApiGateway::Stage') ?? [];
      if (!restApiId || !stageName) return { failed: 'The stack has no stage of an API.' };
      const command = new GetStageCommand({ restApiId, stageName });
      const stage = await new APIGatewayClient(CLIENT_LIMITS).send(command);
      return checkStage(stage, listed.has('AWS::WAFv2::WebACLAssociation'));
    },
  },
];

function checkStage({ methodSettings, webAclArn, accessLogSettings }: Stage, hasWebAcl: boolean): Finding {
  // Every method without a setting of its own has those of `*/*`; a limit below 0 is none.
  const rate = methodSettings?.['*/*']?.throttlingRateLimit ?? -1;
  if (rate < 0) return { failed: 'Its methods are not throttled.' };
  if (!accessLogSettings?.destinationArn) return { failed: 'It has no access log.' };
  if (hasWebAcl && !webAclArn) return { failed: 'The web ACL is not before it.' };
  return { ok: `${rate} requests per second for each method${hasWebAcl ? ', behind a web ACL' : ''}` };
}
