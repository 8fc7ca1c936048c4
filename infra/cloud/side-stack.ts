import { type IStackSynthesizer, LegacyStackSynthesizer, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';

type SideStackProps = Pick<StackProps, 'description' | 'terminationProtection'> & {
  readonly region: string;
  readonly settings: Settings;
};

/**
 * A stack beside that of a stage, in another region, which need not be bootstrapped: the CDK CLI makes it with the
 * credentials of the caller.
 */
export class SideStack extends Stack {
  constructor(scope: Construct, stackName: string, { region, settings: { account }, ...props }: SideStackProps) {
    super(scope, stackName, {
      ...props,
      stackName,
      env: { ...(account && { account }), region },
      // The cast is needed because aws-cdk-lib's types do not distinguish absent from undefined.
      synthesizer: new LegacyStackSynthesizer() as IStackSynthesizer,
    });
  }
}
