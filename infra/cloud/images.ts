import { Validations } from 'aws-cdk-lib';
import { Distribution, PriceClass, ResponseHeadersPolicy, ViewerProtocolPolicy } from 'aws-cdk-lib/aws-cloudfront';
import { S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { type Versioned, VersionedBucket } from './data.ts';

const ACCEPTED = 'The pictures of products are for everybody, and their addresses tell nothing of who asks.';

/** The images of products, which CloudFront alone may read, and its address. Keys are never written anew. */
export class HostedImages extends VersionedBucket {
  readonly baseUrl: string;

  constructor(scope: Construct, id: string, props: Pick<Versioned, 'settings' | 'accessLogs'>) {
    super(scope, id, { ...props, undoDays: 30 });
    const headers = new ResponseHeadersPolicy(this, 'Headers', {
      securityHeadersBehavior: { contentTypeOptions: { override: true } },
    });
    const distribution = new Distribution(this, 'Distribution', {
      comment: `Pharmacy, images of stage ${props.settings.stage}`,
      priceClass: PriceClass.PRICE_CLASS_100,
      defaultBehavior: {
        origin: S3BucketOrigin.withOriginAccessControl(this as IBucket),
        viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
        responseHeadersPolicy: headers,
      },
    });
    for (const rule of ['CFR1', 'CFR2', 'CFR3', 'CFR4'])
      Validations.of(distribution).acknowledge({ id: `AwsSolutions-${rule}`, reason: ACCEPTED });
    this.baseUrl = `https://${distribution.distributionDomainName}/`;
  }
}
