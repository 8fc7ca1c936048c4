import { CfnOutput } from 'aws-cdk-lib';
import { DomainName, EndpointAccessMode, SecurityPolicy, type Stage } from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { STAGE } from './api-logs.ts';

/** TLS 1.3, or 1.2 with forward secrecy, and only for the requested host name. */
export const TLS = {
  securityPolicy: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  endpointAccessMode: EndpointAccessMode.STRICT,
} as const;

/** The operator's own domain name in front of a stage; the stage stays in the path. */
export class ApiDomain extends Construct {
  readonly url: string;

  constructor(
    scope: Construct,
    id: string,
    { domain, stage }: { domain: NonNullable<Settings['domain']>; stage: Stage },
  ) {
    super(scope, id);
    const name = new DomainName(this, 'Name', {
      ...TLS,
      domainName: domain.name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', domain.certificateArn),
    });
    name.addBasePathMapping(stage.restApi, { basePath: STAGE, stage });
    this.url = `https://${domain.name}/${STAGE}`;
    // The operator's DNS has to point here.
    new CfnOutput(this, 'Target', { value: name.domainNameAliasDomainName });
  }
}
