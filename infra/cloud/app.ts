import { App } from 'aws-cdk-lib';
import { readStages, SettingsError } from './settings.ts';

try {
  const app = new App();
  const settings = readStages(app.node.tryGetContext('stage'));
  // Loading the stack takes seconds, for which a misspelled stage should not wait.
  const { synthesize } = await import('./synthesize.ts');
  await synthesize(app, settings);
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
