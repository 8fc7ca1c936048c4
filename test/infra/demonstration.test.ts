import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it, vi } from 'vitest';
import { readSettings } from '../../infra/cloud/read-settings.ts';
import { type Json, propertiesIn, stageTemplates } from '../support/rights/stack-template.ts';

const [template, ...others] = stageTemplates('demo') as [Template, ...Template[]];
const properties = (type: string) => propertiesIn(template, type);
const idsOf = (type: string) => Object.keys(template.findResources(type));

/** Returns an output as one line, with the ids of what it refers to in angle brackets. */
function outputOf(name: string): string {
  const { Value } = template.findOutputs(name)[name] as Json;
  return Value['Fn::Join'][1].map((part: Json) => (typeof part === 'string' ? part : `<${part.Ref}>`)).join('');
}

describe('the stage that a deployment without arguments makes', () => {
  it('is one stack of the account and region of the credentials, also where SES sends no mail', () => {
    expect(others).toEqual([]);
    vi.stubEnv('CDK_DEFAULT_REGION', 'mx-central-1');
    const { account, region, budget, sender, invoicing, payments } = readSettings('demo');
    expect({ account, region, budget, sender }).toEqual({});
    expect([invoicing.provider, payments.provider]).toEqual(['sandbox', 'none']);
    const types = Object.values<Json>(template.toJSON().Resources).map(({ Type }) => Type);
    expect(types.filter((type) => type.startsWith('AWS::SES::'))).toEqual([]);
  });

  it('has a key in the usage plan, whose value API Gateway generates, and an output that prints it', () => {
    const [key] = idsOf('AWS::ApiGateway::ApiKey');
    const [plan] = idsOf('AWS::ApiGateway::UsagePlan');
    expect(properties('AWS::ApiGateway::ApiKey')).toEqual([
      { Description: 'The client of the demonstration', Enabled: true },
    ]);
    expect(properties('AWS::ApiGateway::UsagePlanKey')).toEqual([
      { KeyId: { Ref: key }, KeyType: 'API_KEY', UsagePlanId: { Ref: plan } },
    ]);
    expect(outputOf('KeyCommand')).toBe(
      `aws apigateway get-api-key --api-key <${key}> --include-value --query value --region <AWS::Region> --output text`,
    );
  });

  it('has a generated password beside its users, and an output that prints it', () => {
    const [secret] = idsOf('AWS::SecretsManager::Secret').filter((id) => id.startsWith('Demonstration'));
    expect(
      properties('AWS::SecretsManager::Secret').map(({ GenerateSecretString }) => GenerateSecretString),
    ).toContainEqual({
      SecretStringTemplate:
        '{"patient":"paciente@demo.example","doctor":"doctora@demo.example","insurance_employee":"aseguradora@demo.example"}',
      GenerateStringKey: 'password',
      PasswordLength: 24,
      ExcludePunctuation: true,
    });
    expect(outputOf('PasswordCommand')).toBe(
      `aws secretsmanager get-secret-value --secret-id <${secret}> --query SecretString --region <AWS::Region> --output text`,
    );
  });

  it('is filled once the API is there', () => {
    const [seed] = Object.values<Json>(template.findResources('Custom::Demonstration'));
    expect(seed.DependsOn).toEqual(expect.arrayContaining(idsOf('AWS::ApiGateway::UsagePlan')));
  });
});
