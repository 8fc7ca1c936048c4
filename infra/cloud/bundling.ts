import { type BundlingOptions, LogLevel, OutputFormat, SourceMapMode } from 'aws-cdk-lib/aws-lambda-nodejs';
import { BUNDLE } from '../bundle.ts';

export const bundling: BundlingOptions = {
  ...BUNDLE,
  format: OutputFormat.ESM,
  logLevel: LogLevel.ERROR,
  sourceMap: true,
  sourceMapMode: SourceMapMode.EXTERNAL,
  sourcesContent: false,
  // The SDK of the runtime floats and starts slower than one that is bundled.
  bundleAwsSDK: true,
};
