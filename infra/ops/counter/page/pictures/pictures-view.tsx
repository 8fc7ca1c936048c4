import './pictures.css';
import { useEffect, useState } from 'preact/hooks';
import { session } from '../session.ts';
import { translate } from '../text.ts';
import { Button } from '../ui/button.tsx';
import { formatCount } from '../ui/format.ts';
import { Former } from '../ui/former.tsx';
import { announce } from '../ui/live-region.tsx';
import { ErrorNotice, Notice } from '../ui/notice.tsx';
import { useShortcut } from '../ui/shortcuts.ts';
import { useCommand } from '../ui/use-command.ts';
import { ViewHeading } from '../ui/view-heading.tsx';
import { Textures } from './chart/fills.tsx';
import { ChoiceForm, chooseRange, renewDays } from './choice.tsx';
import type { Figures } from './labels.ts';
import { OrdersPicture, TurnoverPicture } from './period-pictures.tsx';
import { toDays } from './range.ts';
import { OrderStatusPicture, PaymentStatusPicture } from './status-pictures.tsx';
import { ByClient, Summary } from './summary.tsx';
import { PICTURES_TEXTS } from './texts.ts';
import { TimesPicture } from './time-pictures.tsx';

/** Orders and turnover of a time, by status and how long they took, as pictures with the numbers behind them. */
export function PicturesView() {
  const timeZone = session.value.state === 'open' ? session.value.session.timeZone : 'UTC';
  const [choice, setChoice] = useState(() => chooseRange({ client: '' }, 'week', toDays('week', new Date(), timeZone)));
  const { days, by, client } = choice;
  const asked = { ...days, by, ...(client !== '' && { client }) };
  const { document: figures, former, error, isLoading, reload } = useCommand('orders-figures', asked);
  const shown = figures ?? former;
  const clients = useClients(figures);
  const refresh = () => {
    const renewed = renewDays(choice, new Date(), timeZone);
    // Other days are another input, which is read by itself.
    if (renewed.days.to === days.to) void reload();
    else setChoice(renewed);
  };
  useShortcut('r', PICTURES_TEXTS.reload, refresh);
  useAnnouncement(figures);
  return (
    <>
      <div class="pictures-head">
        <ViewHeading title={translate(PICTURES_TEXTS.title)} />
        <Button isBusy={isLoading} onClick={refresh}>
          {translate(isLoading ? PICTURES_TEXTS.loading : PICTURES_TEXTS.reload)}
        </Button>
      </div>
      <ChoiceForm choice={choice} clients={clients} timeZone={timeZone} onChange={setChoice} />
      <ErrorNotice error={error} />
      {shown && (
        <Former isFormer={shown === former}>
          <Pictures figures={shown} />
        </Former>
      )}
    </>
  );
}

/** Returns the clients of the last figures of all clients, since those of one know no other. */
function useClients(figures: Figures | undefined): Figures['clients'] {
  const [clients, setClients] = useState<Figures['clients']>([]);
  useEffect(() => {
    if (figures?.client === null) setClients(figures.clients);
  }, [figures]);
  return clients;
}

function useAnnouncement(figures: Figures | undefined): void {
  useEffect(() => {
    if (figures) announce(translate(PICTURES_TEXTS.loaded, { orders: formatCount(figures.total.orders) }));
  }, [figures]);
}

function Pictures({ figures }: { readonly figures: Figures }) {
  const { total, clients } = figures;
  if (total.orders === 0) return <Notice kind="info">{translate(PICTURES_TEXTS.none)}</Notice>;
  return (
    <>
      <Textures />
      <Summary total={total} />
      <div class="pictures">
        <OrdersPicture figures={figures} />
        <TurnoverPicture figures={figures} />
        <OrderStatusPicture figures={figures} />
        <PaymentStatusPicture figures={figures} />
        <TimesPicture
          title={PICTURES_TEXTS.approvalTimes}
          spread={total.minutes_to_approval}
          times={total.approval_times}
        />
        <TimesPicture
          title={PICTURES_TEXTS.shipmentTimes}
          spread={total.minutes_to_shipment}
          times={total.shipment_times}
        />
        <ByClient clients={clients} />
      </div>
    </>
  );
}
