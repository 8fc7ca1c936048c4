/*
 * Regions without a service that a setting needs. Those of China and GovCloud have no CloudFront with origin access control
 * (cfn-lint 1.51.0, schemas of 2026-05-20). Malware protection is missing there and in Taipei, by the regions of the rule
 * guardduty-malware-protection-enabled in AWS Config's guide, read on 2026-11-29; GuardDuty's guide, "Regions and endpoints",
 * names no others for S3.
 */
const OTHER_PARTITIONS = /^(cn|us-gov)-/;

export const servesImages = (region: string): boolean => !OTHER_PARTITIONS.test(region);
export const scansMalware = (region: string): boolean => !OTHER_PARTITIONS.test(region) && region !== 'ap-east-2';
