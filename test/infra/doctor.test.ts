import { describe, expect, it } from 'vitest';
import { PRODUCTION, stackTemplate } from '../support/rights/stack-template.ts';

// The doctor relies on these resources of the stack, and no local engine lists them.
describe('the stack that the doctor looks at', () => {
  const alarms = Object.values(stackTemplate(PRODUCTION).findResources('AWS::CloudWatch::Alarm')).map(
    ({ Properties }) => Properties,
  );
  const ofOperator = alarms.filter(({ AlarmName }) => !JSON.stringify(AlarmName).includes('-release-'));

  it('has actions on every alarm but those of releases', () => {
    expect(ofOperator.length).toBeLessThan(alarms.length);
    expect(ofOperator.filter(({ AlarmActions = [] }) => AlarmActions.length === 0)).toEqual([]);
  });
});
