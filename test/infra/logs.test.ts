import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { stackTemplate } from '../support/rights/stack-template.ts';

let template: Template;

beforeAll(() => {
  template = stackTemplate();
});

// biome-ignore lint/suspicious/noExplicitAny: a template has no types
const properties = (type: string): any[] =>
  Object.values(template.findResources(type)).map(({ Properties }) => Properties);

describe('the logs of functions', () => {
  it('are JSON as the functions write it, with the lines of Lambda only for calls that failed', () => {
    const functions = properties('AWS::Lambda::Function');
    expect(functions.length).toBeGreaterThanOrEqual(30);
    for (const { LoggingConfig } of functions) {
      expect(LoggingConfig).toEqual({
        LogFormat: 'JSON',
        ApplicationLogLevel: 'INFO',
        SystemLogLevel: 'WARN',
        LogGroup: { Ref: expect.stringMatching(/Log/) },
      });
    }
  });

  it('have a name that begins with the stage and the id of the stack, as the operator is told', () => {
    const id = { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] };
    const names = properties('AWS::Logs::LogGroup').map(({ LogGroupName }) => LogGroupName);
    for (const name of ['access', 'orders-create', 'jobs-send-mail']) {
      expect(names).toContainEqual({ 'Fn::Join': ['', ['pharmacy/test/', id, `/${name}`]] });
    }
    template.hasOutput('LogGroupPrefix', { Value: { 'Fn::Join': ['', ['pharmacy/test/', id, '/']] } });
  });
});
