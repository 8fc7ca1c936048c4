import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OUT } from './synth.ts';

// `npm run lint:cloud` checks the templates of `npm run synth` with cfn-lint, which knows each region's resources.

/** The regions with SES in infra/cloud/README.md, for stages whose region is that of the credentials. */
const REGIONS = ['us-east-1', 'us-east-2', 'us-west-2'];

const IGNORED = {
  W3005:
    'CDK lets each function wait for its role and the policy of it; the reference to the role says the first again.',
};

type Artifact = { readonly environment?: string; readonly properties?: { readonly templateFile?: string } };

/** CDK's manifest names a stack's region as `aws://<account>/<region>`. */
function readTemplates(): Map<string, readonly string[]> {
  const manifest: { artifacts: Record<string, Artifact> } = JSON.parse(
    readFileSync(join(OUT, 'manifest.json'), 'utf8'),
  );
  const templates = new Map<string, readonly string[]>();
  for (const { environment = '', properties = {} } of Object.values(manifest.artifacts)) {
    const region = environment.split('/').at(-1) ?? '';
    if (!properties.templateFile?.endsWith('.template.json')) continue;
    templates.set(properties.templateFile, region === 'unknown-region' ? REGIONS : [region]);
  }
  return templates;
}

for (const [template, regions] of readTemplates()) {
  console.log(`${template} in ${regions.join(', ')}`);
  const options = ['--non-zero-exit-code', 'informational', '--ignore-checks', ...Object.keys(IGNORED)];
  const words = ['--regions', ...regions, ...options, '--', join(OUT, template)];
  const { status, error } = spawnSync('cfn-lint', words, { stdio: 'inherit' });
  if (error) throw new Error('cfn-lint is not installed: "python3 -m pip install cfn-lint".', { cause: error });
  if (status !== 0) process.exitCode = 1;
}
