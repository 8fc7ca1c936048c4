import { type BundlingOptions, LogLevel, OutputFormat, SourceMapMode } from 'aws-cdk-lib/aws-lambda-nodejs';

/** How a handler becomes one file; the benchmark measures the same bundle. */
export const bundling: BundlingOptions = {
  format: OutputFormat.ESM,
  logLevel: LogLevel.ERROR,
  target: 'node24',
  minify: true,
  sourceMap: true,
  sourceMapMode: SourceMapMode.EXTERNAL,
  sourcesContent: false,
  mainFields: ['module', 'main'],
  // The SDK of the runtime floats and starts slower than one that is bundled.
  bundleAwsSDK: true,
  // What is CommonJS inside the bundle still calls require.
  banner: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);",
};
