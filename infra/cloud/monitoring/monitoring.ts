import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Construct } from 'constructs';
import type { DeadLetters } from '../functions/dead-letters.ts';
import type { PharmacyFunction } from '../functions/function.ts';
import type { ScheduledJob } from '../functions/scheduled-job.ts';
import type { Resources } from '../resources.ts';
import { type AlarmRow, jobAlarms, serviceAlarms } from './alarms.ts';
import { PharmacyDashboard } from './dashboard.ts';
import { measureFigures } from './metrics.ts';
import { OperatorTopic } from './topic.ts';

export type Watched = {
  readonly resources: Resources;
  readonly api: RestApi;
  readonly functions: readonly PharmacyFunction[];
  readonly scheduled: readonly ScheduledJob[];
  readonly deadLetters: DeadLetters;
};

/** Tells the operator what goes wrong, and shows how the service is. */
export class Monitoring extends Construct {
  readonly #action: SnsAction;
  readonly #stage: string;

  constructor(scope: Construct, id: string, watched: Watched) {
    super(scope, id);
    const { resources, scheduled } = watched;
    const { settings, table } = resources;
    this.#stage = settings.stage;
    this.#action = new SnsAction(new OperatorTopic(this, 'Alarms', settings));
    for (const job of scheduled) measureFigures(job, settings);
    const rows = [...serviceAlarms({ ...watched, table }), ...jobAlarms(settings)];
    const alarms = rows.map((row) => this.#alarm(row));
    new PharmacyDashboard(this, 'Dashboard', { ...watched, alarms });
  }

  #alarm({ name, metric, above, periods, silence, meaning }: AlarmRow): Alarm {
    const alarm = new Alarm(this, name, {
      alarmName: `pharmacy-${this.#stage}-${name}`,
      alarmDescription: meaning,
      metric,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: silence === 'fine' ? TreatMissingData.NOT_BREACHING : TreatMissingData.BREACHING,
    });
    alarm.addAlarmAction(this.#action);
    alarm.addOkAction(this.#action);
    return alarm;
  }
}
