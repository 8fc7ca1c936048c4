import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { routes } from '../../shared/api/routes.ts';
import { propertiesIn, stackTemplate } from '../support/rights/stack-template.ts';

const PATHS = new Set(routes.map(({ path }) => path));

const template = stackTemplate();
const collected = stackTemplate({ payments: { provider: 'stripe', secretName: 'pharmacy/stripe' } });
/** Without pages of other origins, and with a limit of its own for methods and for a key. */
const unusual = stackTemplate({ corsOrigins: [], methodLimits: { requestsPerSecond: 70 }, limits: { burst: 11 } });

const properties = (type: string, of = template) => propertiesIn(of, type);

describe('a function that could not run', () => {
  const unavailable =
    '{"detail":"El servicio no está disponible por el momento. La solicitud pudo haberse realizado: repítala solo con la misma Idempotency-Key, o consulte antes. / The service is unavailable at the moment. The request may have been carried out: repeat it only with the same Idempotency-Key, or look first.","code":"unavailable"}';
  const timeout =
    '{"detail":"El servicio tardó demasiado en responder. La solicitud pudo haberse realizado: repítala solo con la misma Idempotency-Key, o consulte antes. / The service took too long to answer. The request may have been carried out: repeat it only with the same Idempotency-Key, or look first.","code":"timeout"}';

  it.each([
    ['INTEGRATION_FAILURE', unavailable, "'2'"],
    ['DEFAULT_5XX', unavailable, "'2'"],
    ['INTEGRATION_TIMEOUT', timeout, "'5'"],
  ])('is answered 503 with Retry-After: %s', (ResponseType, body, retryAfter) => {
    template.hasResourceProperties('AWS::ApiGateway::GatewayResponse', {
      ResponseType,
      StatusCode: '503',
      ResponseParameters: Match.objectLike({
        'gatewayresponse.header.Retry-After': retryAfter,
        'gatewayresponse.header.Access-Control-Allow-Origin': 'method.request.header.Origin',
      }),
      ResponseTemplates: { 'application/json': body },
    });
  });

  it('leaves no other status of the gateway above 499', () => {
    const statuses = properties('AWS::ApiGateway::GatewayResponse').map(({ StatusCode }) => Number(StatusCode ?? 400));
    expect(new Set(statuses.filter((status) => status >= 500))).toEqual(new Set([503]));
  });
});

it('compresses answers from 1 KB on', () => {
  template.hasResourceProperties('AWS::ApiGateway::RestApi', { MinimumCompressionSize: 1_024 });
});

it('lets browsers keep the answers to preflights for two hours', () => {
  const preflights = properties('AWS::ApiGateway::Method').filter(({ HttpMethod }) => HttpMethod === 'OPTIONS');
  expect(preflights).toHaveLength(PATHS.size);
  for (const { Integration } of preflights) {
    expect(Integration.IntegrationResponses[0].ResponseParameters).toMatchObject({
      'method.response.header.Access-Control-Max-Age': "'7200'",
    });
  }
});

describe('the throttle of the stage', () => {
  const settingsOf = (of: Template) => properties('AWS::ApiGateway::Stage', of)[0].MethodSettings;
  const preflights = (of: Template) =>
    settingsOf(of).filter(({ HttpMethod }: { HttpMethod: string }) => HttpMethod === 'OPTIONS');

  it('limits each method, above what a key may send', () => {
    expect(settingsOf(template)[0]).toEqual({
      ResourcePath: '/*',
      HttpMethod: '*',
      ThrottlingRateLimit: 500,
      ThrottlingBurstLimit: 1_000,
      LoggingLevel: 'ERROR',
      DataTraceEnabled: false,
      MetricsEnabled: false,
    });
    expect(settingsOf(unusual)).toEqual([
      expect.objectContaining({ HttpMethod: '*', ThrottlingRateLimit: 70, ThrottlingBurstLimit: 110 }),
    ]);
  });

  it('is lower for preflights, which take no key', () => {
    expect(preflights(template)).toHaveLength(PATHS.size);
    expect(preflights(template)).toContainEqual({
      ResourcePath: '/~1api~1orders~1{id}~1request-invoice',
      HttpMethod: 'OPTIONS',
      ThrottlingRateLimit: 50,
      ThrottlingBurstLimit: 100,
      DataTraceEnabled: false,
    });
  });

  it('is 50 a second for the calls of the payment provider, which take no key either', () => {
    const own = settingsOf(collected).filter(({ ResourcePath }: { ResourcePath: string }) =>
      ResourcePath.includes('stripe'),
    );
    expect(own).toEqual([
      {
        ResourcePath: '/~1api~1payments~1stripe',
        HttpMethod: 'POST',
        ThrottlingRateLimit: 50,
        ThrottlingBurstLimit: 100,
        DataTraceEnabled: false,
      },
    ]);
    expect(JSON.stringify(settingsOf(template))).not.toContain('stripe');
  });

  it('fits into one call of UpdateStage, and names no method ANY, which that call refuses', () => {
    // More patch operations are refused as "Update size too large" (DianaIonita/serverless-api-gateway-caching#46).
    const operations = settingsOf(collected).flatMap(
      ({ ResourcePath: _, HttpMethod: __, ...values }: object & Record<string, unknown>) => Object.keys(values),
    );
    expect(operations.length).toBeLessThanOrEqual(80);
    expect(JSON.stringify(settingsOf(collected))).not.toContain('ANY');
  });
});
